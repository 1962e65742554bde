import type { CityConfig } from '../../config/city-config.ts'
import type { Actor } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import { hasAttempts } from './attempt-parts.ts'
import { QUARANTINED_LABEL } from './attention.ts'
import { type ControlsOptions, personOf, requireGraph } from './controls.ts'
import type { RunControlResponse, RunRetryBody, RunSkipBody } from './controls-schema.ts'
import { RunRetried, RunStepSkipped } from './events.ts'
import { failureOf } from './failure.ts'
import { metadataValue, SKIPPED_BY } from './node.ts'
import { reopenBead } from './reopen.ts'
import { isFinal, type RunRow } from './repository.ts'
import { failedSteps, planRestart, planWithout, type RestartPlan } from './restart-plan.ts'
import { RunGraph } from './run-graph.ts'

interface RestartOptions extends ControlsOptions {
  beads: BeadRepository
  config: { readonly current: CityConfig }
}

/** What is to be done once the beads of a plan are open again. */
interface Restart {
  run: RunRow
  plan: RestartPlan
  finish(tx: Tx): void
}

/** How many beads one write opens again. */
const SLICE = 100

/** Has steps of runs done again, or goes on without them. */
export class RunRestarts {
  readonly #options: RestartOptions
  readonly #graph: RunGraph

  constructor(options: RestartOptions) {
    this.#options = options
    this.#graph = new RunGraph(options.store, options.beads)
  }

  /** Does a step again with all that comes after it; without a step, what failed. Earlier attempts stay as they ended. */
  retry(caller: Caller, id: string, { step, reason }: RunRetryBody): Promise<RunControlResponse> {
    return this.#restart(actorOf(caller), () => {
      const run = this.#runOf(id)
      const steps = step === undefined ? failedSteps(this.#graph.ended(id)) : [this.#graph.step(id, step)]
      for (const each of steps) requireClosed(each)
      if (steps.length === 0) throw conflict(`no step of run ${id} has failed: name the step to begin again at`)
      const beads = steps.map((each) => each.id)
      return {
        ...{ run, plan: planRestart(this.#graph, id, steps) },
        finish: (tx) => {
          const payload = { run_id: id, steps: beads, ...(reason && { reason }) }
          this.#options.log.append(tx, RunRetried, { subject: id, run_id: id }, payload)
        },
      }
    })
  }

  /** Goes on as if a step that failed, or that nobody began, had not been there. */
  skip(caller: Caller, id: string, { step: name, reason }: RunSkipBody): Promise<RunControlResponse> {
    const { beads, log } = this.#options
    const actor = actorOf(caller)
    return this.#restart(actor, () => {
      const run = this.#runOf(id)
      const step = this.#graph.step(id, name)
      requireSkippable(step)
      return {
        ...{ run, plan: planWithout(this.#graph, id, step) },
        finish: (tx) => {
          const metadata = {
            ...{ [ResultKey.outcome]: 'skipped', [WorkKey.closeReason]: `${SKIPPED_BY}${personOf(actor)}: ${reason}` },
            ...{ [ResultKey.failureClass]: null, [ResultKey.failureReason]: null },
            ...{ [EngineKey.quarantined]: null, [EngineKey.finalDisposition]: null },
          }
          beads.change(tx, step.id, { status: 'closed', metadata, removeLabels: [QUARANTINED_LABEL] })
          log.append(tx, RunStepSkipped, { subject: id, run_id: id }, { run_id: id, step_id: step.id, reason })
        },
      }
    })
  }

  /** A run of many steps is held while they are opened again, slice by slice. */
  async #restart(actor: Actor, begin: () => Restart): Promise<RunControlResponse> {
    const { store, clock, runs, holds } = this.#options
    const { restart, isHeld } = await store.write((tx) => {
      const begun = begin()
      const { run, plan } = begun
      const isLarge = plan.reopened.length > SLICE && !holds.find(run.rootId)
      const reason = 'its steps are being opened again; if that was interrupted, say gc run retry once more'
      if (isLarge) holds.begin(tx, { rootId: run.rootId, since: clock.now(), by: 'gc', reason, heldWith: null })
      if (plan.reopened.length <= SLICE) this.#finish(tx, begun)
      return { restart: begun, isHeld: isLarge }
    }, actor)
    const { run, plan } = restart
    if (plan.reopened.length > SLICE) {
      const order = [...plan.reopened].sort((a, b) => Number(isRoot(a)) - Number(isRoot(b)))
      for (let at = 0; at < order.length; at += SLICE) {
        await store.write((tx) => this.#reopen(tx, order.slice(at, at + SLICE), plan), actor)
      }
      await store.write((tx) => {
        this.#finish(tx, { ...restart, plan: { ...plan, reopened: [] } })
        if (isHeld) holds.release(tx, run.rootId)
      }, actor)
      if (isHeld) await holds.offerAll(run.rootId, actor)
    }
    return { run_id: run.rootId, status: runs.get(run.rootId).state }
  }

  #reopen(tx: Tx, slice: readonly Bead[], { refanned }: RestartPlan): void {
    const { beads, config } = this.#options
    for (const { id } of slice) {
      const bead = beads.find(id)
      if (bead?.status === 'closed') reopenBead({ beads, config, graph: this.#graph }, tx, bead, refanned.get(id))
    }
  }

  #finish(tx: Tx, { run, plan, finish }: Restart): void {
    const { runs, beads } = this.#options
    const id = run.rootId
    this.#reopen(tx, plan.reopened, plan)
    for (const bead of plan.held) runs.setWaiting(tx, id, bead.id, false)
    finish(tx)
    const left = this.#graph
      .ended(id)
      .map(failureOf)
      .find((failure) => failure !== null)
    runs.setError(tx, id, left ?? null)
    if (isFinal(run.state) && beads.get(id).status !== 'closed') runs.move(tx, run, 'active')
  }

  #runOf(id: string): RunRow {
    const run = requireGraph(this.#options.runs.get(id))
    if (run.state !== 'canceling') return run
    throw conflict(`run ${id} is being canceled: wait until that is over`)
  }
}

const isRoot = (bead: Bead): boolean => metadataValue(bead, WorkflowKey.kind) === 'workflow'
const conflict = (message: string): AppError => new AppError('conflict-wrong-state', message)

function requireClosed({ id, title, status }: Bead): void {
  if (status === 'closed') return
  throw conflict(`step ${id} ("${title}") is ${status}: only a step that is closed is done again`)
}

function requireSkippable(step: Bead): void {
  const { id, title, status, assignee } = step
  if (status === 'in_progress') {
    throw conflict(
      `${assignee ?? 'somebody'} works on step ${id} ("${title}"): wait until it is closed, or release it first`,
    )
  }
  if (status === 'closed') {
    const outcome = metadataValue(step, ResultKey.outcome)
    if (outcome === 'fail' || outcome === 'canceled') return
    throw conflict(`step ${id} ("${title}") did not fail (${outcome || 'it is closed'}): there is nothing to skip`)
  }
  const kind = metadataValue(step, WorkflowKey.kind)
  const isWork = kind === '' || kind === 'task'
  if (hasAttempts(step) || !isWork)
    throw conflict(`step ${id} ("${title}") is not over: it can be skipped once it failed`)
}
