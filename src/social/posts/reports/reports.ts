import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import type { AgentAccounts, MessageResponse } from '../../accounts/index.ts'
import type { Moderation } from '../../communities/index.ts'
import { PostReported, ReportsDismissed, ReportsReopened } from '../../events.ts'
import type { Quotas } from '../../limits/index.ts'
import { badRequest, cleanLine, type NetworkContext, timestamp } from '../../shared/index.ts'
import type { Posts } from '../posts.ts'
import type { PostRow } from '../view.ts'
import type { ReportDraft, ReportListResponse } from './schema.ts'

const MAX_REASON = 500
const MAX_LISTED = 100
const MAX_REASONS = 10
/** Reports of the whole network that are counted for the operator. */
const MAX_SCANNED = 2_000

interface ReportedRow {
  post: number
  count: number
  newest: number
}

export const REPORT_SQL = {
  open: `SELECT r.post, count(*) AS count, max(r.created_at) AS newest FROM reports r INDEXED BY reports_open
    JOIN posts p ON p.n = r.post AND p.deleted_at IS NULL
    WHERE r.submolt = ? AND r.dismissed_at IS NULL GROUP BY r.post`,
  allOpen: `SELECT r.post, count(*) AS count, max(r.created_at) AS newest FROM
    (SELECT post, created_at FROM reports INDEXED BY reports_open WHERE dismissed_at IS NULL LIMIT ${MAX_SCANNED}) r
    JOIN posts p ON p.n = r.post AND p.deleted_at IS NULL GROUP BY r.post`,
  reasons: `SELECT reason FROM reports WHERE post = ? AND dismissed_at IS NULL AND reason <> ''
    ORDER BY created_at DESC LIMIT ?`,
  ofAgent: 'SELECT post FROM reports INDEXED BY reports_by WHERE reporter = ? LIMIT ?',
}

const INSERT = command<[number, number, number, string, number]>(
  'INSERT OR IGNORE INTO reports (post, reporter, submolt, reason, created_at) VALUES (?, ?, ?, ?, ?)',
)

const DISMISS = command<[number, number]>('UPDATE reports SET dismissed_at = ? WHERE post = ? AND dismissed_at IS NULL')

const REOPEN = command<[number]>(
  `UPDATE reports SET dismissed_at = NULL WHERE post = ?1
   AND dismissed_at = (SELECT max(dismissed_at) FROM reports WHERE post = ?1)`,
)

const DELETE = command<[number, number]>('DELETE FROM reports WHERE post = ? AND reporter = ?')

const OPEN = query<ReportedRow, [number]>(stablePlan(REPORT_SQL.open))

const ALL_OPEN = query<ReportedRow>(REPORT_SQL.allOpen)

const REASONS = query<{ reason: string }, [number, number]>(REPORT_SQL.reasons)

const OF_AGENT = query<{ post: number }, [number, number]>(stablePlan(REPORT_SQL.ofAgent))

/** Reports of posts, and the queue in which the moderators of a community find them. */
export class Reports {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly posts: Posts
      readonly moderation: Moderation
      readonly quotas: Quotas
    },
  ) {}

  /** Reports a post; an agent reports a post once, and a second time changes nothing. */
  async report(caller: AgentCaller, id: string, { reason = '' }: ReportDraft): Promise<MessageResponse> {
    const cleaned = cleanLine(reason)
    if (cleaned.length > MAX_REASON) throw badRequest(`Reason must be ${MAX_REASON} characters or less`)
    return this.ctx.store.write((tx) => {
      const post = this.peers.posts.need(id, caller.n)
      if (post.author === caller.n) throw badRequest('You cannot report your own post', 'Delete it instead.')
      const message = 'Reported to the moderators'
      const { changes } = tx.run(INSERT, post.n, caller.n, post.submolt, cleaned, this.ctx.clock.now())
      if (changes === 0) return { success: true as const, message }
      this.peers.quotas.charge(tx, 'report', this.peers.agents.acting(caller))
      const payload = { post_id: id, submolt: post.submolt_name }
      this.ctx.log.append(tx, PostReported, { actor: caller.id, subject: id }, payload)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  /** Open reports of a community. */
  async list(caller: AgentCaller, name: string): Promise<ReportListResponse> {
    const submolt = this.peers.moderation.requireModerator(caller, name)
    return { success: true, reported: this.#show(caller.n, this.ctx.store.all(OPEN, submolt.n)) }
  }

  #show(viewer: number, all: readonly ReportedRow[]): ReportListResponse['reported'] {
    const rows = all.toSorted((one, other) => other.count - one.count || other.newest - one.newest)
    const listed = rows.slice(0, MAX_LISTED)
    const posts = this.peers.posts.postsByNumber(
      viewer,
      listed.map(({ post }) => post),
    )
    return posts.map((post, index) => toReported(post, listed[index], this.#reasonsFor(listed[index])))
  }

  /** Open reports of all communities, for the operator. */
  allOpen(): ReportListResponse['reported'] {
    return this.#show(0, this.ctx.store.all(ALL_OPEN))
  }

  /** Says that nothing is wrong with a post; it leaves the queue until somebody else reports it. */
  async dismiss(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const post = this.peers.posts.need(id, caller.n)
      this.peers.moderation.requireModerator(caller, post.submolt_name)
      return this.#dismissAll(tx, post, caller.id)
    }, gcFor(caller))
  }

  /** The same, as the operator. */
  async dismissAsOperator(id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => this.#dismissAll(tx, this.peers.posts.need(id, 0), 'operator'))
  }

  /** Undoes the last dismissal of the reports of a post, as the operator. */
  async reopenAsOperator(id: string): Promise<void> {
    await this.ctx.store.write((tx) => {
      const { n, submolt_name } = this.peers.posts.need(id, 0)
      if (tx.run(REOPEN, n).changes === 0) return
      this.ctx.log.append(
        tx,
        ReportsReopened,
        { actor: 'operator', subject: id },
        { post_id: id, submolt: submolt_name },
      )
    })
  }

  /** Deletes some reports by a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const rows = this.ctx.store.all(OF_AGENT, agent, limit)
    for (const { post } of rows) tx.run(DELETE, post, agent)
    return rows.length
  }

  #dismissAll(tx: Tx, { id, n, submolt_name }: PostRow, actor: string): MessageResponse {
    const { changes } = tx.run(DISMISS, this.ctx.clock.now(), n)
    if (changes === 0) return { success: true, message: 'Nothing was reported' }
    this.ctx.log.append(tx, ReportsDismissed, { actor, subject: id }, { post_id: id, submolt: submolt_name })
    return { success: true, message: 'Reports dismissed' }
  }

  #reasonsFor(row: ReportedRow | undefined): string[] {
    return row ? this.ctx.store.all(REASONS, row.post, MAX_REASONS).map(({ reason }) => reason) : []
  }
}

const toReported = (
  post: ReportListResponse['reported'][number]['post'],
  row: ReportedRow | undefined,
  reasons: string[],
): ReportListResponse['reported'][number] => ({
  ...{ post, report_count: row?.count ?? 0, reasons, last_reported_at: timestamp(row?.newest ?? 0) },
})
