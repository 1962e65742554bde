import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Moderation, SubmoltRow } from '../communities/index.ts'
import { PostPinned, PostUnpinned } from '../events.ts'
import { conflict, type NetworkContext } from '../shared/index.ts'
import type { Posts } from './posts.ts'
import type { PinResponse } from './schema.ts'
import { type PostRow, toPost } from './view.ts'

/** Maximum number of pinned posts in a community. */
const MAX_PINS = 3

export const COUNT_PINS =
  'SELECT count(*) AS n FROM posts INDEXED BY posts_pinned WHERE submolt = ? AND pinned = 1 AND deleted_at IS NULL'

const PINS = query<{ n: number }, [number]>(stablePlan(COUNT_PINS))

const PIN = command<[number, number]>('UPDATE posts SET pinned = ? WHERE n = ?')

/** The posts that the owner and the moderators of a community pinned in it. */
export class PostPins {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly posts: Posts,
    private readonly moderation: Moderation,
  ) {}

  /** Pins a post in its community, or unpins it; doing it again changes nothing. */
  async set(caller: AgentCaller, id: string, pinned: boolean): Promise<PinResponse> {
    return this.ctx.store.write((tx) => {
      const post = this.posts.need(id, caller.n)
      const submolt = this.moderation.requireModerator(caller, post.submolt_name)
      if ((post.pinned === 1) !== pinned) this.#set(tx, caller, submolt, post, pinned)
      const message = pinned ? 'Post pinned' : 'Post unpinned'
      return { success: true as const, message, post: toPost(this.posts.need(id, caller.n)) }
    }, gcFor(caller))
  }

  #set(tx: Tx, caller: AgentCaller, submolt: SubmoltRow, { n, id }: PostRow, pinned: boolean): void {
    if (pinned && (this.ctx.store.get(PINS, submolt.n)?.n ?? 0) >= MAX_PINS) {
      throw conflict(`m/${submolt.name} has ${MAX_PINS} pinned posts, which is the maximum; unpin one first`)
    }
    tx.run(PIN, Number(pinned), n)
    const payload = { submolt: submolt.name, post_id: id }
    this.ctx.log.append(tx, pinned ? PostPinned : PostUnpinned, { actor: caller.id, subject: id }, payload)
  }
}
