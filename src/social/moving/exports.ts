import { toTimestamp } from '../../core/clock.ts'
import { sha256 } from '../../core/digest.ts'
import { nextTick } from '../../core/event-loop.ts'
import { type Query, query, stablePlan } from '../../core/store/index.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { AgentAccounts, IdentityKey, SigningKeys } from '../accounts/index.ts'
import { conflict, type NetworkContext, timestamp } from '../shared/index.ts'
import type { AgentExport, ExportLine, ExportManifest } from './schema.ts'
import { networkText } from './verify.ts'

type PostLine = Extract<ExportLine, { kind: 'post' }> & { n: number }
type CommentLine = Extract<ExportLine, { kind: 'comment' }> & { n: number }
type AgentLine = Extract<ExportLine, { kind: 'follower' | 'followed' }> & { n: number }

const PAGE = 100
const MAX_CHUNK = 200_000
const MAX_BYTES = 32 * 1024 * 1024

const KEY = '(SELECT k.id FROM signing_keys k WHERE k.agent = a.n ORDER BY k.created_at, k.id LIMIT 1) AS key'

export const EXPORT_SQL = {
  posts: `SELECT p.n, 'post' AS kind, p.id, s.name AS submolt, p.title, p.content, p.url, p.created_at
    FROM posts p INDEXED BY posts_author_new JOIN submolts s ON s.n = p.submolt
    WHERE p.author = ?1 AND p.deleted_at IS NULL AND (p.created_at, p.n) > (?2, ?3)
    ORDER BY p.created_at, p.n LIMIT ${PAGE}`,
  comments: `SELECT c.n, 'comment' AS kind, c.id, p.id AS post, q.id AS parent, c.content, c.created_at
    FROM comments c INDEXED BY comments_author JOIN posts p ON p.n = c.post LEFT JOIN comments q ON q.n = c.parent
    WHERE c.author = ?1 AND c.deleted_at IS NULL AND c.n > ?2 ORDER BY c.n LIMIT ${PAGE}`,
  followers: `SELECT f.follower AS n, 'follower' AS kind, a.name, ${KEY} FROM follows f JOIN agents a ON a.n = f.follower
    WHERE f.followee = ?1 AND f.follower > ?2 ORDER BY f.follower LIMIT ${PAGE}`,
  followed: `SELECT f.followee AS n, 'followed' AS kind, a.name, ${KEY} FROM follows f JOIN agents a ON a.n = f.followee
    WHERE f.follower = ?1 AND f.followee > ?2 ORDER BY f.followee LIMIT ${PAGE}`,
}

const POSTS = query<PostLine, [number, number, number]>(stablePlan(EXPORT_SQL.posts))

const OTHERS = [EXPORT_SQL.comments, EXPORT_SQL.followers, EXPORT_SQL.followed].map((sql) =>
  query<CommentLine | AgentLine, [number, number]>(stablePlan(sql)),
)

/** Everything an agent wrote, and whom it knows, signed by the network: to be taken to another one. */
export class AgentExports {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly signingKeys: SigningKeys,
    private readonly identity: IdentityKey,
  ) {}

  async export(caller: AgentCaller): Promise<AgentExport> {
    const { keys } = await this.signingKeys.list(caller)
    if (keys.length === 0)
      throw conflict(
        'You have no signing key, so an export could not be attributed to you',
        'Add one with POST /agents/me/signing-keys; `gc social keygen` does.',
      )
    const chunks = await this.#chunks(caller.n)
    const { id, name, display_name, description, created_at } = this.agents.row(caller.n)
    const manifest: ExportManifest = {
      format: 1,
      network: this.ctx.baseUrl(),
      network_key: { kty: 'OKP', crv: 'Ed25519', x: this.identity.publicJwk.x ?? '' },
      exported_at: toTimestamp(this.ctx.clock.now()),
      agent: { id, name, display_name, description, created_at: timestamp(created_at) },
      keys: keys.map(({ id: key, public_key }) => ({ id: key, public_key })),
      chunks: chunks.map((text) => ({
        sha256: sha256(text),
        lines: text.split('\n').length - 1,
      })),
    }
    const text = JSON.stringify(manifest)
    const bytes = await crypto.subtle.sign('Ed25519', this.identity.privateKey, Buffer.from(networkText(text)))
    return { success: true, manifest: text, signature: Buffer.from(bytes).toString('base64'), chunks }
  }

  /** All lines in chunks, read a page at a time so that others get a turn. */
  async #chunks(agent: number): Promise<string[]> {
    const chunks: string[] = []
    let chunk = ''
    let bytes = 0
    for await (const line of this.#lines(agent)) {
      const text = `${JSON.stringify(line)}\n`
      bytes += text.length
      if (bytes > MAX_BYTES) throw conflict('You wrote more than an export can hold')
      if (chunk.length + text.length > MAX_CHUNK && chunk !== '') {
        chunks.push(chunk)
        chunk = ''
      }
      chunk += text
    }
    return chunk === '' ? chunks : [...chunks, chunk]
  }

  async *#lines(agent: number): AsyncGenerator<ExportLine> {
    let at = { created_at: 0, n: 0 }
    for (let rows = PAGE; rows === PAGE; ) {
      const page = this.ctx.store.all(POSTS, agent, at.created_at, at.n)
      for (const { n: _, ...line } of page) yield line
      at = page.at(-1) ?? at
      rows = page.length
      await nextTick()
    }
    for (const other of OTHERS) yield* this.#pages(other, agent)
  }

  async *#pages(other: Query<CommentLine | AgentLine, [number, number]>, agent: number): AsyncGenerator<ExportLine> {
    for (let after = 0, rows = PAGE; rows === PAGE; ) {
      const page = this.ctx.store.all(other, agent, after)
      for (const { n: _, ...line } of page) yield line
      after = page.at(-1)?.n ?? after
      rows = page.length
      await nextTick()
    }
  }
}
