import { join } from 'node:path'
import { CHANGES } from '../../agents/worktrees/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { shellQuote } from '../../core/text/index.ts'
import { personOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { cursorAfter, parseBoundaryCursor } from '../../http/respond/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import type { ChangeContents, Located } from './contents.ts'
import { type AttemptUsage, costOf } from './cost.ts'
import type { ChangeFilter, ChangeRows } from './rows.ts'
import type { Change, ChangeComment, ChangeDiff, ChangeList, ChangeView, ReviewedChange } from './schema.ts'
import { type AskRow, type ChangeRow, type CommentRow, type LookRow, type RoundRow, STATES } from './table.ts'
import type { ChangeTracker } from './tracker.ts'

interface ListOptions extends ChangeFilter {
  limit: number
  cursor?: string | undefined
}

/** Files and comments that a view of a change has at most. */
const MAX_FILES = 500
const MAX_COMMENTS = 500
/** Decided changes that are listed with their cost, and changes among which these are looked for. */
const MAX_REVIEWED = 20
const MAX_SEARCHED = 100

/** The changes of a city as people review them. */
export class Changes {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: Pick<Config, 'current'>
      rows: ChangeRows
      tracker: ChangeTracker
      contents: ChangeContents
      beads: Pick<BeadRepository, 'titleOf' | 'find'>
      usage: AttemptUsage
    },
  ) {}

  /** The row of a change that must exist and have commits. */
  find(id: string): ChangeRow {
    const row = this.peers.rows.find(id)
    if (row?.head != null && row.state !== 'none') return row
    throw new AppError('change-not-found', `there is no change ${id}; see gc review`)
  }

  /** The changes of a bead, the latest first. */
  ofBead(bead: string): ChangeRow[] {
    return this.peers.rows.ofBead(bead).filter(({ state, head }) => state !== 'none' && head !== null)
  }

  /** True if a change is the work of a session. */
  isOf(session: string, id: string): boolean {
    return this.peers.rows.find(id)?.session === session
  }

  /** Records that a change is in its target. */
  landed(tx: Tx, id: string, landed: { commit: string; target: string }): void {
    this.peers.tracker.landed(tx, this.find(id), landed)
  }

  list({ limit, cursor, ...filter }: ListOptions): ChangeList {
    const { state } = filter
    if (state !== undefined && state !== 'all' && !STATES.some((known) => known === state)) {
      throw new AppError('invalid-request', `${state} is not a state of a change; one of ${STATES.join(', ')} or all`)
    }
    const after = parseBoundaryCursor(cursor)
    const position = after && { createdAt: Date.parse(after.createdAt ?? ''), id: after.id }
    const rows = this.peers.rows.page(filter, position, limit + 1)
    const items = rows.slice(0, limit)
    const last = rows.length > limit ? items.at(-1) : undefined
    return {
      items: items.map((row) => this.toChange(row)),
      ...(last && { next_cursor: cursorAfter({ createdAt: toTimestamp(last.createdAt), id: last.id }) }),
    }
  }

  /** A change with its files and comments, as a caller may see them: drafts are shown to their author only. */
  async show(caller: Caller, id: string): Promise<ChangeView> {
    const row = this.find(id)
    const { rows, contents } = this.peers
    const isKept = contents.isKept(row)
    const [files, commits] = isKept ? await Promise.all([contents.files(row), contents.commits(row)]) : []
    const comments = rows.comments(id).filter((comment) => isShown(caller, comment))
    const asks = rows.asks(id)
    return {
      ...this.toChange(row),
      ...(commits ?? { commits: [], commits_total: 0 }),
      changed_files: (files ?? []).slice(0, MAX_FILES),
      comments: await this.#located(row, comments.slice(-MAX_COMMENTS), isKept),
      asks: asks.map(toAsk),
      rounds: rows.rounds(id).map(toRound),
      reviewers: reviewersOf(rows.looks(id)),
      cost: costOf(row, this.context.clock, this.peers),
      ...seenBy(personOf(caller), rows.looks(id), row.round),
      ...this.#restore(row),
    }
  }

  /** A part of the diff of a change: all of it, or what is new since an earlier round. */
  async diff(id: string, { file, since, cursor }: DiffQuery): Promise<ChangeDiff> {
    const row = this.find(id)
    const [base, head] = [row.base ?? '', row.head ?? '']
    const options = {
      ...(file !== undefined && { paths: [file], unfold: true }),
      ...(cursor !== undefined && { cursor }),
    }
    const diffs = this.peers.contents.diffs(row)
    if (since === undefined) return { base, head, ...(await diffs.page(base, head, options)) }
    const first = this.peers.rows.round(id, since)
    if (first?.base == null || first.head === null) {
      throw new AppError('validation-failed', `${id} has no round ${since}; gc review show ${id} lists its rounds`)
    }
    const { start, commits, page } = await diffs.range({ base: first.base, head: first.head }, { base, head }, options)
    return { base: start, head, since, commits: [...commits], ...page }
  }

  /** The newest changes that were decided, or that somebody asked to be changed. */
  decided(): ReviewedChange[] {
    const { rows } = this.peers
    const all = rows.page({ state: 'all' }, undefined, MAX_SEARCHED)
    const reviewed = all.map((row) => ({ row, reviewers: reviewersOf(rows.looks(row.id)) }))
    return reviewed
      .filter(({ row, reviewers }) => row.decidedAt !== null || reviewers.some(({ decisions }) => decisions.length > 0))
      .slice(0, MAX_REVIEWED)
      .map(({ row, reviewers }) => {
        const { id, state, rig, agent, title } = this.toChange(row)
        return {
          id,
          state,
          rig,
          agent,
          ...(title !== undefined && { title }),
          reviewers,
          cost: costOf(row, this.context.clock, this.peers),
        }
      })
  }

  async #located(row: ChangeRow, comments: readonly CommentRow[], isKept: boolean): Promise<ChangeComment[]> {
    const shown: ChangeComment[] = []
    for (const comment of comments) {
      const place = isKept ? await this.peers.contents.locate(row, comment).catch(() => undefined) : undefined
      shown.push(toComment(comment, place))
    }
    return shown
  }

  /** The command that puts the commits of a change into a new branch of its rig, or of the folder that it is run in. */
  #restore({ id, rig: name, round, state, pinned }: ChangeRow): Pick<ChangeView, 'restore'> {
    if (!pinned) return {}
    const { path, rigs } = this.peers.config.current
    const rig = rigs.find((each) => each.name === name)?.path
    const from = shellQuote(join(path, '.gc', 'snapshots', `${name}.git`))
    const newest = state === 'asked' && this.peers.rows.round(id, round + 1)?.head ? round + 1 : round
    const where = rig === undefined ? '' : `-C ${shellQuote(rig)} `
    return { restore: `git ${where}fetch ${from} ${CHANGES}/${id}/${newest}:refs/heads/gc/restored/${id}` }
  }

  /** A change as lists show it. */
  toChange(row: ChangeRow): Change {
    const { id, state, rig, agent, session, bead, branch, target, base, head, round, files, added, removed } = row
    const { risk, checks, createdAt, readyAt, decidedAt, decidedBy, reason, landed } = row
    const title = bead === null ? undefined : this.peers.beads.find(bead)?.title
    return {
      ...{ id, state, rig, agent, session, target, base: base ?? '', head: head ?? '', round, files, added, removed },
      ...(bead !== null && { bead_id: bead }),
      ...(title !== undefined && { title }),
      ...(branch !== null && { branch }),
      ...(risk !== null && { risk }),
      ...(checks !== null && { checks }),
      created_at: toTimestamp(createdAt),
      ...(readyAt !== null && { ready_at: toTimestamp(readyAt) }),
      ...(decidedAt !== null && { decided_at: toTimestamp(decidedAt) }),
      ...(decidedBy !== null && { decided_by: decidedBy }),
      ...(reason !== null && { reason }),
      ...(landed !== null && { landed_commit: landed }),
    }
  }
}

interface DiffQuery {
  file?: string | undefined
  since?: number | undefined
  cursor?: string | undefined
}

/** Drafts are their author's; programs that gc started see what was sent. */
const isShown = (caller: Caller, { state, person }: CommentRow): boolean =>
  state !== 'draft' || (caller.kind !== 'session' && caller.kind !== 'process' && personOf(caller) === person)

/** A comment as the API shows it; `place` is where its lines are in the newest commit. */
export function toComment(comment: CommentRow, place: Located): ChangeComment {
  const { n, person, state, commit, path, side, line, endLine, quoted, text, createdAt } = comment
  const { reply, repliedBy, repliedAt } = comment
  const isOutdated = place === undefined && state === 'open'
  return {
    ...{ n, person, state: isOutdated ? 'outdated' : state, commit, path, side, line, end_line: endLine, quoted, text },
    created_at: toTimestamp(createdAt),
    ...(place && { at: { path: place.path, line: place.line, end_line: place.line + endLine - line } }),
    ...(reply !== null && { reply }),
    ...(repliedBy !== null && { replied_by: repliedBy }),
    ...(repliedAt !== null && { replied_at: toTimestamp(repliedAt) }),
  }
}

const toAsk = ({ n, round, person, text, state, reason, askedAt, endedAt }: AskRow): ChangeView['asks'][number] => ({
  ...{ n, round, person, text, state, asked_at: toTimestamp(askedAt) },
  ...(reason !== null && { reason }),
  ...(endedAt !== null && { ended_at: toTimestamp(endedAt) }),
})

/** The last commit of a change that a person saw, and the round before this one. */
function seenBy(person: string, looks: readonly LookRow[], round: number): Pick<ChangeView, 'seen' | 'since'> {
  const own = looks.filter((look) => look.person === person)
  const [seen, since] = [own.at(-1)?.head, own.findLast((look) => look.round < round)?.round]
  return { ...(seen !== undefined && { seen }), ...(since !== undefined && { since }) }
}

const toRound = ({ round, base, head, startedAt, endedAt }: RoundRow) => ({
  round,
  ...(base !== null && { base }),
  ...(head !== null && { head }),
  started_at: toTimestamp(startedAt),
  ...(endedAt !== null && { ready_at: toTimestamp(endedAt) }),
})

/** The people who looked at a change, with their first look and the time to their decisions. */
function reviewersOf(looks: readonly LookRow[]): ChangeView['reviewers'] {
  const people = Map.groupBy(looks, ({ person }) => person)
  return [...people].map(([person, own]) => {
    const decided = own.flatMap(({ lookedAt, decidedAt, decision }) =>
      decidedAt === null || decision === null ? [] : [{ decision, seconds: Math.max(0, decidedAt - lookedAt) / 1000 }],
    )
    return {
      person,
      looked_at: toTimestamp(Math.min(...own.map(({ lookedAt }) => lookedAt))),
      seconds: decided.reduce((sum, { seconds }) => sum + seconds, 0),
      decisions: decided.map(({ decision }) => decision),
    }
  })
}
