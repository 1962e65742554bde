import { eq } from 'drizzle-orm'
import { gcPart } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import { formatDuration, parseDuration } from '../../../core/durations.ts'
import { query, type Store, type Tx } from '../../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'
import type { Graph } from './graph.ts'
import { bodyOf, scopeParts } from './scopes.ts'
import { skip } from './skip.ts'
import { type StepTimeout, stepTimeouts } from './table.ts'

export interface StepTimeoutsOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  beads: BeadRepository
  /** The sessions that ask a person something now: no one is timed out. */
  asking(): ReadonlySet<string>
  reportError(error: unknown): void
}

const TIMEOUTS = gcPart('timeouts')
const RETRY_MS = 5_000

const HAS = query<{ id: string }, [string]>('SELECT attempt_id AS id FROM step_timeouts WHERE attempt_id = ?')

/**
 * Ends attempts that take longer than the `timeout` of their step. The time runs from when somebody begins with the
 * attempt, and over restarts; it begins again while its session asks a person.
 */
export class StepTimeouts {
  readonly #options: StepTimeoutsOptions & { graph: Graph }
  readonly #timers = new Map<string, Deadline>()
  #isRunning = false

  constructor(private readonly options: StepTimeoutsOptions & { graph: Graph }) {
    this.#options = options
  }

  start(): void {
    this.#isRunning = true
    for (const row of this.#options.store.read((orm) => orm.select().from(stepTimeouts).all())) this.#arm(row)
  }

  stop(): void {
    this.#isRunning = false
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  /** Follows a change of a bead of a run. */
  follow(tx: Tx, bead: Bead): void {
    if (bead.status === 'closed') this.#forget(tx, bead.id)
    else if (bead.status === 'in_progress') for (const attempt of this.#attemptsOf(bead)) this.#begin(tx, attempt)
  }

  /** The attempts that a bead is, or is a part of. */
  #attemptsOf(bead: Bead): Bead[] {
    const isAttempt = metadataValue(bead, WorkflowKey.attempt) !== ''
    const scope = metadataValue(bead, WorkflowKey.scopeRef)
    const check = scope === '' ? undefined : this.#dependents(bead.id).find((each) => kindOf(each) === 'scope-check')
    const body = check && bodyOf(this.#options, check, scope)
    return [...(isAttempt ? [bead] : []), ...(body ? [body] : [])]
  }

  #begin(tx: Tx, { id, status }: Bead): void {
    if (status === 'closed' || this.options.store.get(HAS, id)) return
    const written = this.#dependents(id)
      .map((each) => metadataValue(each, EngineKey.stepTimeout))
      .find((timeout) => timeout !== '')
    const timeoutMs = written === undefined ? undefined : parseDuration(written)
    if (timeoutMs === undefined || timeoutMs <= 0) return
    const row = { attemptId: id, timeoutMs, dueAt: this.#options.clock.now() + timeoutMs }
    tx.orm.insert(stepTimeouts).values(row).run()
    tx.after(() => this.#arm(row))
  }

  #dependents(id: string): Bead[] {
    const { beads } = this.#options
    return beads.list(beads.dependentsOf(id).map(({ issue_id }) => issue_id))
  }

  #forget(tx: Tx, id: string): void {
    if (!this.options.store.get(HAS, id)) return
    tx.orm.delete(stepTimeouts).where(eq(stepTimeouts.attemptId, id)).run()
    tx.after(() => this.#disarm(id))
  }

  #arm(row: StepTimeout): void {
    if (!this.#isRunning) return
    this.#disarm(row.attemptId)
    this.#timers.set(
      row.attemptId,
      this.#options.deadlines.at(row.dueAt, () => this.#onDue(row)),
    )
  }

  #disarm(id: string): void {
    this.#timers.get(id)?.cancel()
    this.#timers.delete(id)
  }

  async #onDue(row: StepTimeout): Promise<void> {
    if (!this.#isRunning) return
    const { store, deadlines, reportError } = this.#options
    try {
      await store.write((tx) => this.#end(tx, row), TIMEOUTS)
    } catch (error) {
      reportError(error)
      this.#timers.set(
        row.attemptId,
        deadlines.after(RETRY_MS, () => this.#onDue(row)),
      )
    }
  }

  #end(tx: Tx, row: StepTimeout): void {
    const { beads, graph, asking, clock } = this.#options
    const attempt = this.options.store.get(HAS, row.attemptId) ? beads.find(row.attemptId) : undefined
    if (!attempt || attempt.status === 'closed') {
      this.#forget(tx, row.attemptId)
      return
    }
    const root = beads.find(metadataValue(attempt, WorkflowKey.rootBeadId))
    const parts = root && kindOf(attempt) === 'scope' ? scopeParts(graph, root, attempt) : []
    const sessions = asking()
    const isAsking = (bead: Bead) =>
      bead.status === 'in_progress' && sessions.has(metadataValue(bead, WorkKey.sessionId))
    if ([attempt, ...parts].some(isAsking)) {
      const dueAt = clock.now() + row.timeoutMs
      tx.orm.update(stepTimeouts).set({ dueAt }).where(eq(stepTimeouts.attemptId, row.attemptId)).run()
      tx.after(() => this.#arm({ ...row, dueAt }))
      return
    }
    for (const part of parts) skip({ beads, graph }, tx, part)
    beads.closeWith(tx, attempt.id, {
      ...{
        [ResultKey.outcome]: 'fail',
        [ResultKey.failureClass]: 'transient',
        [ResultKey.failureReason]: 'step_timeout',
      },
      [WorkKey.closeReason]: `it took longer than ${formatDuration(row.timeoutMs)}, the timeout of its step`,
    })
  }
}

const kindOf = (bead: Bead): string => metadataValue(bead, WorkflowKey.kind)
