import { type Actor, gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { RunControlResponse, RunPauseBody } from './controls-schema.ts'
import { RunPaused, RunResumed } from './events.ts'
import type { RunHolds } from './holds.ts'
import { isFinal, type RunRepository, type RunRow } from './repository.ts'

export interface ControlsOptions {
  store: Store
  log: EventLog
  clock: Clock
  runs: RunRepository
  holds: RunHolds
}

/** Pauses and resumes runs. */
export class RunControls {
  constructor(private readonly options: ControlsOptions) {}

  /** Goes on with what was being paused or resumed when the city was closed. */
  async recover(): Promise<void> {
    const { holds } = this.options
    for (const { rootId, state } of holds.list()) {
      if (state === 'paused') await holds.holdAll(rootId, gcPart('runs'))
      else await this.#offerAll(rootId, gcPart('runs'))
    }
  }

  /** Nothing of the run is offered or started any more; what is worked on is finished. */
  async pause(caller: Caller, id: string, { reason = '' }: RunPauseBody): Promise<RunControlResponse> {
    const { store, log, clock, runs, holds } = this.options
    const actor = actorOf(caller)
    const isMore = await store.write((tx) => {
      const run = this.#going(id)
      if (holds.find(id)) throw new AppError('conflict-wrong-state', `run ${id} is paused already: gc run resume ${id}`)
      holds.begin(tx, { rootId: id, since: clock.now(), by: personOf(actor), reason })
      log.append(tx, RunPaused, { subject: id, run_id: id }, { run_id: id, ...(reason && { reason }) })
      runs.move(tx, run, 'waiting')
      return holds.holdSlice(tx, id)
    }, actor)
    if (isMore) await holds.holdAll(id, actor)
    return { run_id: id, status: runs.get(id).state }
  }

  /** What waited while the run was paused is offered again, and gc goes on with its controls. */
  async resume(caller: Caller, id: string): Promise<RunControlResponse> {
    const { store, runs, holds } = this.options
    const actor = actorOf(caller)
    await store.write((tx) => {
      this.#going(id)
      if (!holds.isPaused(id)) throw new AppError('conflict-wrong-state', `run ${id} is not paused: nothing to resume`)
      holds.release(tx, id)
    }, actor)
    await this.#offerAll(id, actor)
    return { run_id: id, status: runs.get(id).state }
  }

  #offerAll(id: string, actor: Actor): Promise<void> {
    const { log, holds } = this.options
    const resumed = (tx: Tx) => void log.append(tx, RunResumed, { subject: id, run_id: id }, { run_id: id })
    return holds.offerAll(id, actor, resumed)
  }

  /** Throws for a run that is over, or about to be. */
  #going(id: string): RunRow {
    const run = requireGraph(this.options.runs.get(id))
    if (!isFinal(run.state) && run.state !== 'canceling') return run
    throw new AppError('conflict-wrong-state', `run ${id} is ${run.state}: only one that goes on is paused or resumed`)
  }
}

/** Throws for a molecule: gc neither offers nor decides anything of it. */
export function requireGraph(run: RunRow): RunRow {
  if (run.contract !== 'v1') return run
  throw new AppError(
    'conflict-wrong-state',
    `run ${run.rootId} is a molecule, whose steps gc only lists: its agent does them (gc session nudge), ` +
      `and gc bead reopen or gc bead close decide on one; gc run cancel ${run.rootId} ends it`,
  )
}

/** How sentences name whoever did something. */
export const personOf = ({ kind, name, label }: Actor): string => label ?? (kind === 'human' ? 'a person' : name)
