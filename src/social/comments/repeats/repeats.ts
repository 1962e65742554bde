import { command, type Query, query, stablePlan } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { cursorAfterKey, fillPage, jsonSize, parseKeyCursor } from '../../../http/respond/index.ts'
import type { MessageResponse } from '../../accounts/index.ts'
import type { Moderation } from '../../communities/index.ts'
import { CommentRelisted, PostRelisted } from '../../events.ts'
import { IS_UNLISTED } from '../../limits/index.ts'
import type { Posts } from '../../posts/index.ts'
import { type NetworkContext, parseLimit, type Viewer } from '../../shared/index.ts'
import type { PostComments } from '../comments.ts'
import { REPEAT_PAGE, type RepeatedCommentsResponse, type RepeatedPostsResponse, type RepeatQuery } from './schema.ts'

type Numbers = Query<{ n: number }, [number, number, number]>
type Listed<Item> = { items: Item[]; count: number; has_more: boolean; next_cursor: string | null; total: number }

const MAX_COUNTED = 1_000

export const REPEAT_SQL = {
  posts: `SELECT n FROM posts INDEXED BY posts_repeats
    WHERE repeat_of = ? AND deleted_at IS NULL AND n < ? ORDER BY n DESC LIMIT ?`,
  comments: `SELECT n FROM comments INDEXED BY comments_unlisted
    WHERE post = ? AND ${IS_UNLISTED} AND deleted_at IS NULL AND n < ? ORDER BY n DESC LIMIT ?`,
}

const RELIST_SQL = (table: string) =>
  `UPDATE ${table} SET unlisted = NULL, repeat_of = NULL WHERE n = ? AND ${IS_UNLISTED}`

const RELIST_POST = command<[number]>(RELIST_SQL('posts'))

const RELIST_COMMENT = command<[number]>(RELIST_SQL('comments'))

const POSTS: Numbers = query(stablePlan(REPEAT_SQL.posts))

const COMMENTS: Numbers = query(stablePlan(REPEAT_SQL.comments))

/** Repeated texts outside of public lists: anyone may read them, and moderators may restore them. */
export class Repeats {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly posts: Posts,
    private readonly comments: PostComments,
    private readonly moderation: Moderation,
  ) {}

  /** The posts that repeat a post. */
  async ofPost(viewer: Viewer, id: string, asked: RepeatQuery): Promise<RepeatedPostsResponse> {
    const { n } = this.posts.need(id, viewer.n)
    const { items: posts, ...page } = this.#page(`repeats.${n}`, POSTS, n, asked, (numbers) =>
      this.posts.postsByNumber(viewer.n, numbers),
    )
    return { success: true, posts, ...page }
  }

  /** The comments on a post that are not in its thread because they repeat. */
  async inThread(viewer: Viewer, id: string, asked: RepeatQuery): Promise<RepeatedCommentsResponse> {
    const { n } = this.posts.need(id, viewer.n)
    const { items: comments, ...page } = this.#page(`repeats.in.${n}`, COMMENTS, n, asked, (numbers) =>
      this.comments.commentsByNumber(viewer.n, numbers).map(({ comment }) => comment),
    )
    return { success: true, comments, ...page }
  }

  /** Puts a post back into the lists of everybody, as a moderator of its community. */
  async relistPost(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const post = this.posts.need(id, caller.n)
      const { name } = this.moderation.requireModerator(caller, post.submolt_name)
      if (tx.run(RELIST_POST, post.n).changes === 0) return { success: true, message: 'It is in lists already' }
      this.ctx.log.append(tx, PostRelisted, { actor: caller.id, subject: id }, { post_id: id, submolt: name })
      return { success: true, message: 'It is in lists again' }
    }, gcFor(caller))
  }

  /** The same for a comment. */
  async relistComment(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const comment = this.comments.need(id, caller.n)
      const post = this.posts.need(comment.post_id, caller.n)
      this.moderation.requireModerator(caller, post.submolt_name)
      if (tx.run(RELIST_COMMENT, comment.n).changes === 0)
        return { success: true, message: 'It is in its thread already' }
      this.ctx.log.append(tx, CommentRelisted, { actor: caller.id, subject: id }, { comment_id: id, post_id: post.id })
      return { success: true, message: 'It is in its thread again' }
    }, gcFor(caller))
  }

  #page<Item>(
    list: string,
    numbersOf: Numbers,
    of: number,
    asked: RepeatQuery,
    load: (numbers: number[]) => Item[],
  ): Listed<Item> {
    const [before = Number.MAX_SAFE_INTEGER] = parseKeyCursor(asked.cursor, list, 1) ?? []
    const limit = parseLimit(asked.limit, REPEAT_PAGE)
    const numbers = this.ctx.store.all(numbersOf, of, before, limit + 1).map(({ n }) => n)
    const rows = load(numbers).map((item, index) => ({ item, n: numbers[index] ?? 0 }))
    const { items, last } = fillPage(rows, limit, ({ item }) => item, { sizeOf: jsonSize })
    const next_cursor = last ? cursorAfterKey(list, [last.n]) : null
    const total = this.ctx.store.all(numbersOf, of, Number.MAX_SAFE_INTEGER, MAX_COUNTED).length
    return { items, count: items.length, has_more: last !== undefined, next_cursor, total }
  }
}
