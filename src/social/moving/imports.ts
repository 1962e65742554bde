import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import { type AgentAccounts, type AgentRow, type Follows, isSuspended, type SigningKeys } from '../accounts/index.ts'
import { MAX_DEPTH, parseCommentContent } from '../comments/index.ts'
import type { Submolts } from '../communities/index.ts'
import { AgentImported } from '../events.ts'
import { ageClassOf, hot, type Posts, parsePostDraft, rising } from '../posts/index.ts'
import { badRequest, conflict, SocialError } from '../shared/index.ts'
import type { MovedFollows } from './moved-follows.ts'
import type { ExportLine, ImportDraft, ImportResponse } from './schema.ts'
import { verifyChunk, verifyManifest, verifyOwner } from './verify.ts'

type PostLine = Extract<ExportLine, { kind: 'post' }>
type CommentLine = Extract<ExportLine, { kind: 'comment' }>
type AgentLine = Extract<ExportLine, { kind: 'follower' | 'followed' }>
interface Parent {
  n: number
  post: number
  depth: number
}

const IDENTIFIER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The thumbprint of a key: a SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/
const NO_VOTES = { score: 0, upvotes: 0, downvotes: 0 }
const MAX_SKIPPED = 20
/** Lines added by one write. */
const SLICE = 20

interface ImportServices {
  readonly store: Store
  readonly log: EventLog
  readonly agents: AgentAccounts
  readonly signingKeys: SigningKeys
  readonly submolts: Submolts
  readonly posts: Posts
  readonly follows: Follows
  readonly movedFollows: MovedFollows
}

const EXISTS = query<{ one: number }, [string, string]>(
  'SELECT 1 AS one FROM posts WHERE id = ? UNION ALL SELECT 1 FROM comments WHERE id = ?',
)

const FIND_POST = query<{ n: number }, [string]>('SELECT n FROM posts WHERE id = ? AND deleted_at IS NULL')

const FIND_COMMENT = query<Parent, [string]>('SELECT n, post, depth FROM comments WHERE id = ?')

const INSERT_POST = command<
  [string, number, number, string, string | null, string | null, number, number, number, number, number]
>(`INSERT INTO posts (id, submolt, author, title, content, url, hot, rising, span, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

const INSERT_COMMENT = command<[string, number, number, number, string, number, number, number]>(
  'INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
)

const COUNT_POST = command<[number]>('UPDATE agents SET posts_count = posts_count + 1 WHERE n = ?')

const COUNT_COMMENT = command<[number]>('UPDATE agents SET comments_count = comments_count + 1 WHERE n = ?')

const COUNT_REPLY = command<[number]>('UPDATE comments SET reply_count = reply_count + 1 WHERE n = ?')

/** Adds what an agent wrote on another network to its account here. Votes and karma stay where they were given. */
export class AgentImports {
  constructor(
    private readonly services: ImportServices,
    private readonly clock: Clock,
  ) {}

  /** Adds one chunk of an export to an account; what is there already is left. */
  async import(name: string, draft: ImportDraft): Promise<ImportResponse> {
    const agent = this.services.agents.need(name)
    const manifest = verifyManifest(draft)
    verifyOwner(manifest, draft)
    const { lines, unknown } = verifyChunk(manifest, draft.chunk, draft.text)
    if (isSuspended(agent, this.clock.now())) throw new SocialError('forbidden', `the agent ${agent.name} is suspended`)
    if (this.services.signingKeys.ownerOf(draft.agent_signature.key_id) !== agent.n)
      throw conflict(
        `The agent ${agent.name} does not have the key that signed this export`,
        'Register the same key at the account first; `gc social keygen --private-key <file>` does.',
      )
    const result: ImportResponse = { success: true, posts: 0, comments: 0, follows: 0, waiting_follows: 0, skipped: [] }
    for (const [kind, { length }] of Map.groupBy(unknown, (each) => each)) {
      if (result.skipped.length < MAX_SKIPPED) result.skipped.push(`${kind.slice(0, 100)}: ${length}, not known here`)
    }
    for (let from = 0; from < lines.length; from += SLICE) {
      const some = lines.slice(from, from + SLICE)
      await this.services.store.write((tx) => {
        for (const line of some) this.#add(tx, agent, line, result)
      })
    }
    const { posts, comments } = result
    await this.services.store.write((tx) => {
      const payload = { agent_id: agent.id, network: manifest.network, posts, comments }
      this.services.log.append(tx, AgentImported, { actor: 'operator', subject: agent.id }, payload)
    })
    return result
  }

  #add(tx: Tx, agent: AgentRow, line: ExportLine, result: ImportResponse): void {
    try {
      if (line.kind === 'post') result.posts += this.#addPost(tx, agent, line)
      else if (line.kind === 'comment') result.comments += this.#addComment(tx, agent, line)
      else this.#addFollow(tx, agent, line, result)
    } catch (error) {
      if (!(error instanceof SocialError)) throw error
      const what = line.kind === 'post' || line.kind === 'comment' ? `${line.kind} ${line.id}` : line.name
      if (result.skipped.length < MAX_SKIPPED) result.skipped.push(`${what.slice(0, 100)}: ${error.message}`)
    }
  }

  #addPost(tx: Tx, agent: AgentRow, line: PostLine): number {
    if (this.#isKnown(line.id)) return 0
    const { submolt, title, content, url } = parsePostDraft({
      ...{ submolt: line.submolt, title: line.title },
      ...(line.content !== null && { content: line.content }),
      ...(line.url !== null && { url: line.url }),
    })
    const community = this.services.submolts.find(submolt) ?? this.services.submolts.need('general', 0)
    const now = this.clock.now()
    const at = Math.max(0, Math.min(line.created_at, now))
    const ranks = [hot(NO_VOTES, at, now), rising(NO_VOTES, at, now), ageClassOf(at, now)] as const
    tx.run(INSERT_POST, line.id, community.n, agent.n, title, content, url, ...ranks, at, now)
    tx.run(COUNT_POST, agent.n)
    this.services.submolts.addPosts(tx, community.n, 1)
    return 1
  }

  #addComment(tx: Tx, agent: AgentRow, line: CommentLine): number {
    if (this.#isKnown(line.id)) return 0
    const post = this.services.store.get(FIND_POST, line.post)
    const parent = line.parent === null ? undefined : this.services.store.get(FIND_COMMENT, line.parent)
    if (!post || parent === null || (parent && (parent.post !== post.n || parent.depth >= MAX_DEPTH))) return 0
    const content = parseCommentContent(line.content)
    const now = this.clock.now()
    const at = Math.max(0, Math.min(line.created_at, now))
    const depth = parent ? parent.depth + 1 : 0
    tx.run(INSERT_COMMENT, line.id, post.n, parent?.n ?? 0, agent.n, content, depth, at, now)
    tx.run(COUNT_COMMENT, agent.n)
    if (parent) tx.run(COUNT_REPLY, parent.n)
    this.services.posts.addComments(tx, post.n, 1)
    return 1
  }

  /**
   * Follows an agent again, immediately or as soon as it is here with the same key. Its own followers come back this
   * way too: each of them states this in its own export, as no one follows at another's word.
   */
  #addFollow(tx: Tx, agent: AgentRow, { kind, key }: AgentLine, result: ImportResponse): void {
    if (kind === 'follower' || key === null) return
    const { signingKeys, follows, movedFollows } = this.services
    if (!THUMBPRINT.test(key)) throw badRequest('its key is not a thumbprint')
    const other = signingKeys.ownerOf(key)
    if (other === agent.n) return
    if (other === undefined) result.waiting_follows += movedFollows.wait(tx, agent.n, key) ? 1 : 0
    else result.follows += follows.restore(tx, agent.n, other) ? 1 : 0
  }

  #isKnown(id: string): boolean {
    if (!IDENTIFIER.test(id)) throw badRequest('its identifier is not a UUID')
    return this.services.store.get(EXISTS, id, id) !== null
  }
}
