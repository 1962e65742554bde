import type { Actor } from '../../core/actor.ts'
import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { RunPaused, RunResumed } from './events.ts'
import type { RunHolds } from './holds.ts'
import { isFinal, type RunRepository, type RunRow } from './repository.ts'
import { runNotFound } from './runs.ts'
import type { RunControlResponse, RunPauseBody } from './schema.ts'

interface ControlsOptions {
  store: Store
  log: EventLog
  clock: Clock
  runs: RunRepository
  holds: RunHolds
}

/** What a person does with a run that goes on. */
export class RunControls {
  constructor(private readonly options: ControlsOptions) {}

  /** Goes on with what was being paused or resumed when the city was closed. */
  async recover(): Promise<void> {
    for (const { rootId, state } of this.options.holds.list()) {
      if (state === 'paused') await this.#holdRest(rootId, gcPart('runs'))
      else await this.#offerRest(rootId, gcPart('runs'))
    }
  }

  /** Nothing of the run is offered or started any more; what is worked on is finished. */
  async pause(caller: Caller, id: string, { reason = '' }: RunPauseBody): Promise<RunControlResponse> {
    const { store, log, clock, runs, holds } = this.options
    const actor = actorOf(caller)
    const isMore = await store.write((tx) => {
      const run = this.#going(id)
      if (run.contract === 'v1') throw ofMolecule(id)
      if (holds.find(id)) throw new AppError('conflict-wrong-state', `run ${id} is paused already: gc run resume ${id}`)
      holds.begin(tx, { rootId: id, since: clock.now(), by: nameOf(actor), reason })
      log.append(tx, RunPaused, { subject: id, run_id: id }, { run_id: id, ...(reason && { reason }) })
      runs.move(tx, run, 'waiting')
      return holds.holdSlice(tx, id)
    }, actor)
    if (isMore) await this.#holdRest(id, actor)
    return { run_id: id, status: this.#row(id).state }
  }

  /** What waited while the run was paused is offered again, and gc goes on with its controls. */
  async resume(caller: Caller, id: string): Promise<RunControlResponse> {
    const { store, holds } = this.options
    const actor = actorOf(caller)
    await store.write((tx) => {
      this.#going(id)
      if (!holds.isPaused(id)) throw new AppError('conflict-wrong-state', `run ${id} is not paused: nothing to resume`)
      holds.release(tx, id)
    }, actor)
    await this.#offerRest(id, actor)
    return { run_id: id, status: this.#row(id).state }
  }

  async #holdRest(id: string, actor: Actor): Promise<void> {
    const { store, holds } = this.options
    while (await store.write((tx) => holds.isPaused(id) && holds.holdSlice(tx, id), actor));
  }

  async #offerRest(id: string, actor: Actor): Promise<void> {
    let after: string | undefined = ''
    while (after !== undefined) {
      const from: string = after
      after = await this.options.store.write((tx) => this.#offerSlice(tx, id, from), actor)
    }
  }

  #offerSlice(tx: Tx, id: string, from: string): string | undefined {
    const { log, holds } = this.options
    if (holds.find(id)?.state !== 'resuming') return undefined
    const next = holds.offerSlice(tx, id, from)
    if (next === undefined) log.append(tx, RunResumed, { subject: id, run_id: id }, { run_id: id })
    return next
  }

  #row(id: string): RunRow {
    const row = this.options.runs.find(id)
    if (row) return row
    throw runNotFound(id)
  }

  /** Throws for a run that is over, or about to be. */
  #going(id: string): RunRow {
    const run = this.#row(id)
    if (!isFinal(run.state) && run.state !== 'canceling') return run
    throw new AppError('conflict-wrong-state', `run ${id} is ${run.state}: only one that goes on is paused or resumed`)
  }
}

const ofMolecule = (id: string): AppError =>
  new AppError(
    'conflict-wrong-state',
    `run ${id} is a molecule, whose steps gc offers to nobody: tell its agent (gc session nudge), or gc run cancel ${id}`,
  )

const nameOf = ({ kind, name, label }: Actor): string => label ?? (kind === 'human' ? 'a person' : name)
