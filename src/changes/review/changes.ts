import { join } from 'node:path'
import { CHANGES, type Repository, type Snapshots } from '../../agents/worktrees/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { shellQuote } from '../../core/text/index.ts'
import { cursorAfter, parseBoundaryCursor } from '../../http/respond/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import { type AttemptUsage, costOf } from './cost.ts'
import type { ChangeFilter, ChangeRows } from './rows.ts'
import type { Change, ChangeList, ChangeView } from './schema.ts'
import { type ChangeRow, type LookRow, type RoundRow, STATES } from './table.ts'
import type { ChangeTracker } from './tracker.ts'

export interface ChangesOptions {
  clock: { now(): number }
  config: Pick<Config, 'current'>
  rows: ChangeRows
  tracker: ChangeTracker
  snapshots: Pick<Snapshots, 'repositoryOf'>
  beads: Pick<BeadRepository, 'titleOf' | 'find'>
  usage: AttemptUsage
}

interface ListOptions extends ChangeFilter {
  limit: number
  cursor?: string | undefined
}

const MAX_COMMITS = 100
const TIMEOUT_MS = 20_000

/** The changes of a city as people review them. */
export class Changes {
  constructor(private readonly options: ChangesOptions) {}

  /** The row of a change that must exist and have commits. */
  find(id: string): ChangeRow {
    const row = this.options.rows.find(id)
    if (row?.head != null && row.state !== 'none') return row
    throw new AppError('change-not-found', `there is no change ${id}; see gc review`)
  }

  /** The changes of a bead, the latest first. */
  ofBead(bead: string): ChangeRow[] {
    return this.options.rows.ofBead(bead).filter(({ state, head }) => state !== 'none' && head !== null)
  }

  /** Whether a change is the work of a session. */
  isOf(session: string, id: string): boolean {
    return this.options.rows.find(id)?.session === session
  }

  /** Records that a change is in its target. */
  landed(tx: Tx, id: string, landed: { commit: string; target: string }): void {
    this.options.tracker.landed(tx, this.find(id), landed)
  }

  list({ limit, cursor, ...filter }: ListOptions): ChangeList {
    const { state } = filter
    if (state !== undefined && state !== 'all' && !STATES.some((known) => known === state)) {
      throw new AppError('invalid-request', `${state} is no state of a change; one of ${STATES.join(', ')} or all`)
    }
    const after = parseBoundaryCursor(cursor)
    const position = after && { createdAt: Date.parse(after.createdAt ?? ''), id: after.id }
    const rows = this.options.rows.page(filter, position, limit + 1)
    const items = rows.slice(0, limit)
    const last = rows.length > limit ? items.at(-1) : undefined
    return {
      items: items.map((row) => this.#toChange(row)),
      ...(last && { next_cursor: cursorAfter({ createdAt: toTimestamp(last.createdAt), id: last.id }) }),
    }
  }

  async show(id: string): Promise<ChangeView> {
    const row = this.find(id)
    const { rows } = this.options
    const rounds = rows.rounds(id)
    return {
      ...this.#toChange(row),
      ...(await this.#commits(row)),
      rounds: rounds.map(toRound),
      reviewers: reviewersOf(rows.looks(id)),
      cost: costOf(row, this.options),
      ...this.#restore(row),
    }
  }

  async #commits(row: ChangeRow): Promise<Pick<ChangeView, 'commits' | 'commits_total'>> {
    const { base, head } = row
    const range = `${base}..${head}`
    const repository = this.#repository(row)
    const log = [
      'log',
      '--no-show-signature',
      '--no-color',
      '--format=%H%x09%s',
      '-n',
      String(MAX_COMMITS),
      range,
      '--',
    ]
    const text = await repository.read(log, { timeout: TIMEOUT_MS })
    const lines = text.split('\n').filter(Boolean)
    const commits = lines.map((line) => ({
      id: line.slice(0, line.indexOf('\t')),
      subject: line.slice(line.indexOf('\t') + 1),
    }))
    return { commits, commits_total: commits.length < MAX_COMMITS ? commits.length : await repository.count(range) }
  }

  /** gc's own repository of the rig, which has the commits of a change for as long as they are kept. */
  #repository({ id, rig, pinned }: ChangeRow): Repository {
    const repository = pinned ? this.options.snapshots.repositoryOf(rig) : undefined
    if (repository) return repository
    throw new AppError(
      'conflict-wrong-state',
      `the commits of ${id} are not kept any more: gc keeps those of a decided change for 30 days`,
    )
  }

  /** The command that puts the commits of a change into a new branch of its rig, or of the folder that it is run in. */
  #restore({ id, rig: name, round, state, pinned }: ChangeRow): Pick<ChangeView, 'restore'> {
    if (!pinned) return {}
    const { path, rigs } = this.options.config.current
    const rig = rigs.find((each) => each.name === name)?.path
    const from = shellQuote(join(path, '.gc', 'snapshots', `${name}.git`))
    const newest = state === 'asked' && this.options.rows.round(id, round + 1)?.head ? round + 1 : round
    const where = rig === undefined ? '' : `-C ${shellQuote(rig)} `
    return { restore: `git ${where}fetch ${from} ${CHANGES}/${id}/${newest}:refs/heads/gc/restored/${id}` }
  }

  #toChange(row: ChangeRow): Change {
    const { id, state, rig, agent, session, bead, branch, target, base, head, round, files, added, removed } = row
    const { risk, checks, createdAt, readyAt, decidedAt, decidedBy, reason, landed } = row
    const title = bead === null ? undefined : this.options.beads.find(bead)?.title
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

const toRound = ({ round, base, head, startedAt, endedAt }: RoundRow) => ({
  round,
  ...(base !== null && { base }),
  ...(head !== null && { head }),
  started_at: toTimestamp(startedAt),
  ...(endedAt !== null && { ready_at: toTimestamp(endedAt) }),
})

/** Who looked at a change, when first, and how long their decisions took. */
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
