import { agentNamed, type CityConfig } from '../../config/city/index.ts'
import type { Actor } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Bead, BeadChange, BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import { RunRetried, RunStepSkipped } from '../events.ts'
import { assigneeOf } from '../formulas/index.ts'
import { attemptNumber, hasAttempts } from './attempt-parts.ts'
import { QUARANTINED_LABEL } from './attention.ts'
import { type ControlsOptions, personOf, requireGraph } from './controls.ts'
import type { RunControlResponse, RunRetryBody, RunSkipBody } from './controls-schema.ts'
import { failureOf } from './failure.ts'
import { metadataValue, SKIPPED_BY } from './node.ts'
import { isFinal, type RunRow } from './repository.ts'
import {
  failedSteps,
  planRestart,
  planWithout,
  type RestartPlan,
  type RestartRequest,
  type StoredPlan,
} from './restart-plan.ts'
import { RestartStore, toStored } from './restart-store.ts'
import { RunGraph } from './run-graph.ts'

interface RestartOptions extends ControlsOptions {
  beads: BeadRepository
  config: { readonly current: CityConfig }
}

/** Restart as requested and planned. */
interface Restart {
  run: RunRow
  request: RestartRequest
  plan: RestartPlan
}

/** Maximum beads that one write reopens. */
const SLICE = 100
const HELD_FOR = 'its steps are being opened again'

/** Has steps of runs done again, or continues without them. */
export class RunRestarts {
  readonly #graph: RunGraph
  readonly #restarts: RestartStore

  constructor(private readonly options: RestartOptions) {
    this.#graph = new RunGraph(options.store, options.beads)
    this.#restarts = new RestartStore(options.store)
  }

  /** Continues with runs that were being opened again when the city was closed. */
  async recover(): Promise<void> {
    for (const root of this.#restarts.list()) await this.#goOn(root)
  }

  /** Does a step again with all that comes after it; without a step, what failed. Earlier attempts stay as they ended. */
  retry(caller: Caller, id: string, { step, reason }: RunRetryBody): Promise<RunControlResponse> {
    return this.#restart(actorOf(caller), () => {
      const run = this.#runOf(id)
      const steps = step === undefined ? failedSteps(this.#graph.ended(id)) : [this.#graph.step(id, step)]
      for (const each of steps) requireClosed(each)
      if (steps.length === 0) throw conflict(`no step of run ${id} has failed: name the step to begin again at`)
      const request = { is: 'retry', steps: steps.map((each) => each.id), ...(reason && { reason }) } as const
      return { run, request, plan: planRestart(this.#graph, id, steps) }
    })
  }

  /** Continues as if a step that failed, or that no one began, had not been there. */
  skip(caller: Caller, id: string, { step: name, reason }: RunSkipBody): Promise<RunControlResponse> {
    return this.#restart(actorOf(caller), () => {
      const run = this.#runOf(id)
      const step = this.#graph.step(id, name)
      requireSkippable(step)
      return { run, request: { is: 'skip', step: step.id, reason }, plan: planWithout(this.#graph, id, step) }
    })
  }

  /** A run of many steps is held while they are opened again, slice by slice. */
  async #restart(actor: Actor, begin: () => Restart): Promise<RunControlResponse> {
    const { store, clock, runs, holds } = this.options
    const { id, isLarge } = await store.write((tx) => {
      const { run, request, plan } = begin()
      const { rootId } = run
      const isHeld = !holds.find(rootId)
      const stored = toStored(plan, rootId, isHeld)
      if (stored.reopened.length <= SLICE) {
        this.#reopen(tx, stored.reopened, stored)
        this.#finish(tx, rootId, request, stored.held, actor)
        return { id: rootId, isLarge: false }
      }
      const hold = { rootId, since: clock.now(), by: 'gc', reason: HELD_FOR, heldWith: null }
      if (isHeld) holds.begin(tx, hold)
      this.#restarts.add(tx, rootId, request, actor, stored)
      return { id: rootId, isLarge: true }
    }, actor)
    if (isLarge) await this.#goOn(id)
    return { run_id: id, status: runs.get(id).state }
  }

  /** Opens what is left, unless the run is canceled. */
  async #goOn(id: string): Promise<void> {
    const { store, holds } = this.options
    const begun = this.#restarts.find(id)
    if (!begun) return
    const { actor, plan, request } = begun
    for (let isMore = true; isMore; ) {
      isMore = await store.write((tx) => {
        const restart = this.#restarts.find(id)
        if (!restart) return false
        const next = restart.done + SLICE
        this.#reopen(tx, plan.reopened.slice(restart.done, next), plan)
        if (next < plan.reopened.length) {
          this.#restarts.advance(tx, id, next)
          return true
        }
        this.#finish(tx, id, request, plan.held, actor)
        this.#restarts.remove(tx, id)
        if (plan.isHeld) holds.release(tx, id)
        return false
      }, actor)
    }
    if (plan.isHeld) await holds.offerAll(id, actor)
  }

  #reopen(tx: Tx, slice: readonly string[], { anew }: StoredPlan): void {
    const { beads, config } = this.options
    for (const id of slice) {
      const bead = beads.find(id)
      if (bead?.status === 'closed') reopenBead({ beads, config, graph: this.#graph }, tx, bead, anew[id])
    }
  }

  #finish(tx: Tx, id: string, request: RestartRequest, held: readonly string[], actor: Actor): void {
    const { runs, beads } = this.options
    for (const bead of held) runs.setWaiting(tx, id, bead, false)
    this.#record(tx, id, request, actor)
    const left = this.#graph
      .ended(id)
      .map((bead) => failureOf(bead, (part) => runs.find(part)?.errorMessage))
      .find((failure) => failure !== null)
    runs.setError(tx, id, left ?? null)
    const run = runs.get(id)
    if (isFinal(run.state) && beads.get(id).status !== 'closed') runs.move(tx, run, 'active')
  }

  #record(tx: Tx, id: string, request: RestartRequest, actor: Actor): void {
    const { beads, log } = this.options
    const facts = { subject: id, run_id: id }
    if (request.is === 'retry') {
      const { is: _, ...payload } = request
      log.append(tx, RunRetried, facts, { run_id: id, ...payload, steps: [...payload.steps] })
      return
    }
    const { step, reason } = request
    const metadata = {
      ...{ [ResultKey.outcome]: 'skipped', [WorkKey.closeReason]: `${SKIPPED_BY}${personOf(actor)}: ${reason}` },
      ...{ [ResultKey.failureClass]: null, [ResultKey.failureReason]: null },
      ...{ [EngineKey.quarantined]: null, [EngineKey.finalDisposition]: null },
    }
    this.#handOn(tx, id, step)
    beads.change(tx, step, { status: 'closed', metadata, removeLabels: [QUARANTINED_LABEL] })
    log.append(tx, RunStepSkipped, facts, { run_id: id, step_id: step, reason })
  }

  /** Passes the needs of a skipped step to its dependents. */
  #handOn(tx: Tx, root: string, step: string): void {
    const isOpen = ({ status }: Bead) => status !== 'closed'
    const awaited = this.#graph.blockers(step).filter(isOpen)
    if (awaited.length === 0) return
    const ids = awaited.map(({ id }) => id)
    for (const each of this.#graph.dependents(root, step).filter(isOpen)) this.options.beads.depend(tx, each.id, ids)
  }

  #runOf(id: string): RunRow {
    const run = requireGraph(this.options.runs.get(id))
    if (run.state === 'canceling') throw conflict(`run ${id} is being canceled: wait until that is over`)
    if (this.#restarts.find(id)) throw conflict(`steps of run ${id} are being opened again: wait until that is over`)
    return run
  }
}

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

interface ReopenOptions {
  beads: BeadRepository
  graph: RunGraph
  config: { readonly current: CityConfig }
}

/** Keys of a bead that describe its outcome. */
const ENDING: readonly string[] = [
  ...[ResultKey.outcome, ResultKey.failureClass, ResultKey.failureReason, ResultKey.outputJson, WorkKey.closeReason],
  ...[EngineKey.failedAttempt, EngineKey.finalDisposition, EngineKey.cancelRequested, EngineKey.paused],
  ...[EngineKey.quarantined, EngineKey.quarantinedAt, EngineKey.quarantineReason],
  ...[EngineKey.controllerError, EngineKey.controllerErrorClass],
]

/**
 * Opens a bead of a run again as if it had not been done; `made` by it were the items of a control that begins again.
 */
function reopenBead(options: ReopenOptions, tx: Tx, bead: Bead, made: readonly string[] | undefined): void {
  const { beads } = options
  const ending = ENDING.filter((key) => bead.metadata?.[key] !== undefined).map((key) => [key, null] as const)
  const isRoot = metadataValue(bead, WorkflowKey.kind) === 'workflow'
  const { metadata, assignee } = routeOf(options, bead)
  beads.change(tx, bead.id, {
    ...{ status: isRoot ? 'in_progress' : 'open', assignee, removeLabels: [QUARANTINED_LABEL] },
    metadata: { ...Object.fromEntries(ending), ...metadata, ...anew(options, bead, made) },
  })
  if (made) beads.undepend(tx, bead.id, made)
}

/** Any session of a pool may take the step; that of an agent with one session has it again. */
function routeOf({ config }: ReopenOptions, bead: Bead): Pick<BeadChange, 'metadata' | 'assignee'> {
  const route = metadataValue(bead, WorkKey.routedTo)
  const agent = agentNamed(config.current, route)
  if (!agent || metadataValue(bead, WorkflowKey.kind) === 'workflow') return {}
  const assignee = assigneeOf(config.current, { agent })
  return { assignee: assignee ?? '', metadata: { [WorkKey.sessionId]: null, [WorkKey.sessionName]: assignee ?? null } }
}

type MetadataChange = Record<string, string | null>

/** From where a control counts its attempts or items. */
function anew({ graph }: ReopenOptions, bead: Bead, made: readonly string[] | undefined): MetadataChange {
  if (metadataValue(bead, WorkflowKey.kind) === 'drain') {
    // With its manifest it runs its formula again for those members alone for which that failed.
    return { [EngineKey.drainState]: 'pending', ...(made && { [EngineKey.drainManifest]: null }) }
  }
  if (made) {
    const before = Number(metadataValue(bead, EngineKey.restartedAfter) || '0')
    const count = Number(metadataValue(bead, EngineKey.spawnedCount) || '0')
    const none = { [EngineKey.fanoutState]: '', [EngineKey.spawnedCount]: '0' }
    return { ...none, [EngineKey.restartedAfter]: String(before + count) }
  }
  if (!hasAttempts(bead)) return {}
  const last = Math.max(0, ...graph.blockers(bead.id).map(attemptNumber))
  return { [EngineKey.restartedAfter]: String(last) }
}
