import { readHead, type WorktreeRow, type Worktrees } from '../../agents/worktrees/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { errorMessage } from '../../core/errors.ts'
import { query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { Bead, BeadGuard, BeadRepository } from '../../work/beads/index.ts'
import { ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import type { LandingRows } from './rows.ts'
import type { LandingRow } from './table.ts'

export interface ClosesOptions {
  readonly rows: LandingRows
  readonly beads: Pick<BeadRepository, 'find'>
  readonly worktrees: Pick<Worktrees, 'rowOf'>
  /** True if branches of a rig land. */
  lands(rig: string): boolean
  /** True if a bead is the root of a run. */
  isRun(bead: string): boolean
  /** The commits that a session was on when it claimed a bead, and when it first claimed any. */
  startsOf(session: string, bead: string): readonly (string | null)[]
  submit(tx: Tx, worktree: WorktreeRow, work: Pick<LandingRow, 'bead' | 'head'>): void
}

/** Outcomes of work that is not to land. */
const UNDONE = ['fail', 'canceled', 'skipped']
const MAX_DEPTH = 50
const MAX_SESSIONS = 100

const SESSION = `metadata ->> '$."${WorkKey.sessionId}"'`

const CHOSEN = `SELECT DISTINCT ${SESSION} AS session FROM beads`

const KEPT = `AND closed = 1 AND ${SESSION} IS NOT NULL LIMIT ${MAX_SESSIONS}`

const WORKERS = query<{ session: string }, [string]>(
  stablePlan(`${CHOSEN} WHERE root_id = ? AND root_id IS NOT NULL ${KEPT}`),
)

const CHILDREN = query<{ session: string }, [string]>(
  stablePlan(`${CHOSEN} WHERE parent = ? AND parent IS NOT NULL ${KEPT}`),
)

/**
 * Submits what a session committed for a bead in the write in which it closes the bead. In a run that is the close of the run
 * itself, and the work of all sessions that did steps of it. No close fails because of this.
 */
export class Closes implements BeadGuard {
  constructor(
    private readonly context: CityContext,
    private readonly options: ClosesOptions,
  ) {}

  checkWrite(): void {}

  onChanged(tx: Tx, before: Bead, after: Bead, session: string | undefined): void {
    if (before.status === 'closed' || after.status !== 'closed') return
    if (UNDONE.includes(after.metadata?.[ResultKey.outcome] ?? '')) return
    try {
      for (const each of this.#sessionsOf(before, after, session)) this.#submit(tx, after.id, each)
    } catch (error) {
      this.context.report(`what ${after.id} committed was not submitted: ${errorMessage(error)}`)
    }
  }

  /** The sessions whose work is complete with this close. */
  #sessionsOf(before: Bead, after: Bead, session: string | undefined): string[] {
    const run = this.#runOf(after)
    if (run === after.id) {
      return [...this.context.store.all(WORKERS, run), ...this.context.store.all(CHILDREN, run)].map(
        (worker) => worker.session,
      )
    }
    const isHolder = before.status === 'in_progress' && before.metadata?.[WorkKey.sessionId] === session
    return run === undefined && isHolder && session !== undefined ? [session] : []
  }

  /** The root of the run that a bead is of. */
  #runOf(bead: Bead): string | undefined {
    const { beads, isRun } = this.options
    const root = bead.metadata?.[WorkflowKey.rootBeadId] ?? ''
    if (root !== '') return root
    let at: Bead | undefined = bead
    for (let depth = 0; at && depth < MAX_DEPTH; depth++) {
      if (isRun(at.id)) return at.id
      at = at.parent ? beads.find(at.parent) : undefined
    }
    return undefined
  }

  #submit(tx: Tx, bead: string, session: string): void {
    const { rows, worktrees, lands, startsOf, submit } = this.options
    const worktree = worktrees.rowOf(session)
    if (!worktree || !lands(worktree.rig)) return
    const head = readHead(worktree.path)?.commit
    if (head === undefined || startsOf(session, bead).includes(head)) return
    const isKnown = rows.withHeads(worktree.rig, [head]).some(({ row }) => row.state !== 'cancelled')
    if (!isKnown) submit(tx, worktree, { bead, head })
  }
}
