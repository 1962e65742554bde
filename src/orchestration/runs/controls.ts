import { eq } from 'drizzle-orm'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { RunDismissed, RunResumed } from '../events.ts'
import type { RunDismissal } from '../schema.ts'
import type { RunControlResponse, RunPauseBody } from './controls-schema.ts'
import { holdOfPart, type PauseOptions, pauseRun } from './pause.ts'
import { isFinal, type RunRow } from './repository.ts'
import { runs as table } from './table.ts'

export interface ControlsOptions extends PauseOptions {
  store: Store
  clock: Clock
}

/** Pauses and resumes runs, and dismisses their failures. */
export class RunControls {
  constructor(private readonly options: ControlsOptions) {}

  /** Continues with what was being paused or resumed when the city was closed. */
  async recover(): Promise<void> {
    const { holds } = this.options
    const actor = gcPart('runs')
    for (const { rootId, state, heldWith } of holds.list()) {
      if (state === 'resuming') {
        await this.#offerAll(rootId, actor)
        continue
      }
      await holds.holdAll(rootId, actor)
      if (heldWith === null) await this.#pauseParts(rootId, rootId, actor)
    }
  }

  /** Nothing of the run, and of those that its drains started, is offered or started any more; what is begun is finished. */
  async pause(caller: Caller, id: string, { reason = '' }: RunPauseBody): Promise<RunControlResponse> {
    const { store, clock, runs, holds } = this.options
    const actor = actorOf(caller)
    const isMore = await store.write((tx) => {
      const run = this.#going(id)
      const hold = holds.find(id)
      if (hold) throw conflict(`run ${id} is paused already: gc run resume ${hold.heldWith ?? id}`)
      const by = personOf(actor)
      const isMore = pauseRun(this.options, tx, run, { rootId: id, since: clock.now(), by, reason, heldWith: null })
      tx.answer({ run_id: id, status: runs.get(id).state })
      return isMore
    }, actor)
    if (isMore) await holds.holdAll(id, actor)
    await this.#pauseParts(id, id, actor)
    return { run_id: id, status: runs.get(id).state }
  }

  /** Takes a run whose step failed off the list of what needs attention; nothing happens when it is not there. */
  dismiss(caller: Caller, id: string): Promise<RunDismissal> {
    const { store, runs, clock, log } = this.options
    return store.write((tx) => {
      const { state, errorMessage, dismissedAt } = runs.get(id)
      if (!isFinal(state)) throw conflict(`run ${id} is ${state}: only one that is over is dismissed`)
      if (errorMessage !== null && dismissedAt === null) {
        tx.orm.update(table).set({ dismissedAt: clock.now() }).where(eq(table.rootId, id)).run()
        log.append(tx, RunDismissed, { subject: id, run_id: id }, { run_id: id })
      }
      return { run_id: id }
    }, actorOf(caller))
  }

  /** Offers waiting work of the paused run again, and continues its controls. */
  async resume(caller: Caller, id: string): Promise<RunControlResponse> {
    const { store, runs, holds } = this.options
    const actor = actorOf(caller)
    const released = await store.write((tx) => {
      const { parentId } = this.#going(id)
      if (!holds.isPaused(id)) throw conflict(`run ${id} is not paused: nothing to resume`)
      const above = parentId === null ? undefined : holds.find(parentId)
      if (above?.state === 'paused') {
        const paused = above.heldWith ?? above.rootId
        throw conflict(`run ${id} is a part of run ${paused}, which is paused: gc run resume ${paused}`)
      }
      const released = holds.release(tx, id)
      tx.answer({ run_id: id, status: runs.get(id).state })
      return released
    }, actor)
    await Promise.all(released.map((root) => this.#offerAll(root, actor)))
    return { run_id: id, status: runs.get(id).state }
  }

  /** Pauses what the drains of a run started, and what the drains of that did, until run `top` is resumed. */
  async #pauseParts(top: string, parent: string, actor: Actor): Promise<void> {
    await Promise.all(this.options.runs.partsOf(parent).map((id) => this.#pausePart(top, id, actor)))
  }

  async #pausePart(top: string, id: string, actor: Actor): Promise<void> {
    const { store, runs, holds } = this.options
    const isMore = await store.write((tx) => {
      const above = holds.find(top)
      const run = runs.get(id)
      if (above?.state !== 'paused' || !isGoing(run) || holds.find(id)) return false
      return pauseRun(this.options, tx, run, holdOfPart(above, id))
    }, actor)
    if (isMore) await holds.holdAll(id, actor)
    await this.#pauseParts(top, id, actor)
  }

  #offerAll(id: string, actor: Actor): Promise<void> {
    const { log, holds } = this.options
    const resumed = (tx: Tx) => void log.append(tx, RunResumed, { subject: id, run_id: id }, { run_id: id })
    return holds.offerAll(id, actor, resumed)
  }

  /** Throws for a run that is over, or about to be. */
  #going(id: string): RunRow {
    const run = requireGraph(this.options.runs.get(id))
    if (isGoing(run)) return run
    throw conflict(`run ${id} is ${run.state}; only an active run can be paused or resumed`)
  }
}

const isGoing = ({ state }: RunRow): boolean => !isFinal(state) && state !== 'canceling'
const conflict = (message: string): AppError => new AppError('conflict-wrong-state', message)

/** Throws for a molecule: gc neither offers nor decides anything of it. */
export function requireGraph(run: RunRow): RunRow {
  if (run.contract !== 'v1') return run
  throw new AppError(
    'conflict-wrong-state',
    `run ${run.rootId} is a molecule, whose steps gc only lists: its agent does them (gc session nudge), ` +
      `and gc bead reopen or gc bead close decide on one; gc run cancel ${run.rootId} ends it`,
  )
}

/** Name of an actor in sentences. */
export const personOf = ({ kind, name, label }: Actor): string => label ?? (kind === 'human' ? 'a person' : name)
