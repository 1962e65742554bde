import { toTimestamp } from '../../core/clock.ts'
import type { RecordedEvent } from '../../core/events/event.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Tx } from '../../core/store.ts'
import { payloadBeadOf } from '../../work/beads/events.ts'
import { isControl } from '../../work/beads/readiness.ts'
import type { Bead } from '../../work/beads/schema.ts'
import type { Convoys } from '../../work/convoys/convoys.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import type { CheckRunner } from '../checks/runner.ts'
import type { DrainUnits } from '../drain/units.ts'
import { QUARANTINED_LABEL } from '../runs/attention.ts'
import type { RunHolds } from '../runs/holds.ts'
import type { RunMembers } from '../runs/members.ts'
import { metadataValue } from '../runs/node.ts'
import type { RunRepository } from '../runs/repository.ts'
import { Attempts, retry } from './attempts.ts'
import { applyCheck, requestCheck } from './checks.ts'
import { decideRound, decideStep, guardStep } from './conditions.ts'
import { ControlError, type ControlHandler, type ControlStep, malformed } from './control.ts'
import { type DrainOptions, drain, endDrain, noteItem } from './drain.ts'
import { fanOut, isSpawning } from './fan-out.ts'
import { finalize } from './finalize.ts'
import { FragmentWriter, type ResolveTarget } from './fragment-writer.ts'
import { Graph } from './graph.ts'
import { checkScope, endParent, endScope } from './scopes.ts'
import { mayBeginInRun, RunStates } from './state.ts'
import { StepTimeouts, type StepTimeoutsOptions } from './step-timeouts.ts'

export interface EngineOptions extends StepTimeoutsOptions {
  reactions: Reactions
  runs: RunRepository
  members: RunMembers
  holds: Pick<RunHolds, 'isPaused'>
  resolveTarget: ResolveTarget
  checkRunner: CheckRunner
  convoys: Convoys
  drainUnits: DrainUnits
  /** Goes on with runs that are being canceled. */
  resumeCancels(): void
}

const BEAD_EVENTS: readonly string[] = ['bead.created', 'bead.updated', 'bead.closed', 'bead.deleted']
/** Events about a run as a whole. */
const RUN_EVENTS: readonly string[] = ['run.changed', 'run.resumed', 'run.retried', 'run.step_skipped']
/** How many controls one event may move before the rest follows from the events of those. */
const MAX_CHAIN = 100

/**
 * Runs the graphs that formulas compile to. A bead that is closed releases the controls that waited for it, and each acts
 * in the same write; what an agent is to do next is claimable as soon as that write is on disk.
 */
export class RunEngine {
  readonly #options: EngineOptions
  readonly #graph: Graph
  readonly #states: RunStates
  readonly #draining: DrainOptions
  readonly #timeouts: StepTimeouts
  readonly #handlers: Readonly<Record<string, ControlHandler>>

  constructor(options: EngineOptions) {
    const { store, beads, runs, reactions } = options
    this.#options = options
    this.#graph = new Graph(store, beads)
    const parts = { ...options, graph: this.#graph }
    this.#states = new RunStates(parts)
    this.#timeouts = new StepTimeouts(parts)
    this.#draining = { ...parts, units: options.drainUnits }
    const writer = new FragmentWriter(beads, options.resolveTarget)
    const attempts = new Attempts({ ...parts, writer, onAttempt: (tx, root) => runs.countAttempt(tx, root) })
    const checking = { beads, attempts, runner: options.checkRunner }
    options.checkRunner.use({
      onResult: (tx, bead, attempt, result) =>
        this.#move(tx, bead, (step) => applyCheck(checking, step, attempt, result)),
      onError: (tx, bead, message) =>
        this.#move(tx, bead, () => {
          throw new ControlError('control_dispatch_error', message)
        }),
    })
    options.drainUnits.use((tx, bead, message) =>
      this.#move(tx, bead, () => {
        throw new ControlError('control_dispatch_error', message)
      }),
    )
    const restartOr =
      (decide: ControlHandler): ControlHandler =>
      (step) => {
        if (!attempts.restart(step)) decide(step)
      }
    this.#handlers = {
      drain: (step) => drain(this.#draining, step),
      ralph: restartOr((step) => requestCheck(checking, step)),
      check: restartOr((step) => requestCheck(checking, step)),
      retry: restartOr((step) => retry(attempts, step)),
      'retry-eval': restartOr((step) => retry(attempts, step)),
      until: restartOr((step) => decideRound({ ...parts, attempts }, step)),
      condition: (step) => decideStep(parts, step),
      'failure-guard': (step) => {
        const run = runs.find(step.root.id)
        if (guardStep(parts, step) === 'waits' && run) this.#states.follow(step.tx, run, step.bead)
      },
      fanout: (step) => fanOut({ ...parts, writer, recipeOf: (root) => runs.recipeOf(root) }, step),
      parent: (step) => endParent(parts, step),
      scope: (step) => endScope(parts, step),
      'scope-check': (step) => checkScope(parts, step),
      'workflow-finalize': (step) => finalize(parts, step),
    }
    reactions.on(
      'runs',
      (recorded) => this.#concerns(recorded),
      (tx, recorded) => this.#react(tx, recorded),
    )
  }

  /** Goes on with the time limits of what is worked on. */
  start(): void {
    this.#timeouts.start()
  }

  stop(): void {
    this.#timeouts.stop()
  }

  /**
   * Whether something may follow from an event. Most beads are of no run, and nothing waits for one that is not closed;
   * what becomes of it later has an event of its own.
   */
  #concerns(recorded: RecordedEvent): boolean {
    const { type } = recorded
    if (!BEAD_EVENTS.includes(type)) return RUN_EVENTS.includes(type)
    const bead = payloadBeadOf(recorded)
    if (!bead) return true
    const isOver = type === 'bead.closed' || type === 'bead.deleted' || bead.status === 'closed'
    if (isOver || isControl(metadataValue(bead, WorkflowKey.kind))) return true
    return type === 'bead.created' ? mayBeginInRun(bead) : this.#states.mayBeOfRun(bead)
  }

  #react(tx: Tx, recorded: RecordedEvent): void {
    const { type, subject = '' } = recorded
    const bead = this.#options.beads.find(subject)
    const item = bead ?? (type === 'bead.deleted' ? payloadBeadOf(recorded) : undefined)
    if (item && (type === 'bead.closed' || type === 'bead.deleted')) noteItem(this.#draining, tx, item)
    if (!bead) return
    if (type === 'bead.created') this.#states.adopt(tx, bead)
    const run = type === 'run.changed' ? undefined : this.#states.runOf(bead)
    if (run) this.#states.follow(tx, run, bead)
    if (run) this.#timeouts.follow(tx, bead)
    if (bead.status === 'closed') this.#endWork(tx, bead)
    this.#advance(tx, this.#concerned(type, bead))
  }

  /** Ends what goes on for a control that is closed. */
  #endWork(tx: Tx, bead: Bead): void {
    const { checkRunner, resumeCancels } = this.#options
    checkRunner.abandon(tx, bead.id)
    if (metadataValue(bead, WorkflowKey.kind) !== 'drain') return
    if (endDrain(this.#draining, tx, bead)) tx.after(resumeCancels)
  }

  /** The controls that may act after an event about a bead. */
  #concerned(type: string, bead: Bead): string[] {
    if (RUN_EVENTS.includes(type)) return this.#graph.controls(bead.id)
    if (bead.status === 'closed') return [...this.#graph.released(bead.id), ...this.#leftOver(bead)]
    return isControl(metadataValue(bead, WorkflowKey.kind)) ? [bead.id] : []
  }

  /** What still belongs to a run that is over: its finalizer goes on with it. */
  #leftOver(bead: Bead): string[] {
    const root = this.#options.beads.find(metadataValue(bead, WorkflowKey.rootBeadId))
    return root?.status === 'closed' ? this.#graph.controls(root.id) : []
  }

  /** Lets controls act, and those that they release in their turn. */
  #advance(tx: Tx, ids: readonly string[]): void {
    const queue = [...ids]
    for (let moved = 0; moved < MAX_CHAIN && queue.length > 0; moved++) {
      const id = queue.shift() ?? ''
      const bead = this.#options.beads.find(id)
      if (!bead || !this.#canAct(bead)) {
        if (bead?.issue_type === 'gate') this.#followGate(tx, bead)
        continue
      }
      this.#act(tx, bead)
      if (this.#options.beads.find(id)?.status === 'closed') queue.push(...this.#graph.released(id))
    }
  }

  /** A gate that what was before it has reached. */
  #followGate(tx: Tx, gate: Bead): void {
    const run = this.#states.runOf(gate)
    if (run) this.#states.follow(tx, run, gate)
  }

  #canAct(bead: Bead): boolean {
    const kind = this.#kindOf(bead)
    if (bead.status !== 'open' || !(isControl(kind) || kind === 'scope' || kind === 'parent')) return false
    if (metadataValue(bead, EngineKey.instantiating) !== '') return false
    if (this.#options.holds.isPaused(metadataValue(bead, WorkflowKey.rootBeadId))) return false
    const isParallel = metadataValue(bead, EngineKey.fanoutMode) !== 'sequential'
    return bead.is_blocked !== true || (isSpawning(bead) && isParallel)
  }

  /** What gc does with a bead once it waits for nothing: its `gc.kind`, or `parent` for a step that others are a part of. */
  #kindOf(bead: Bead): string {
    const kind = metadataValue(bead, WorkflowKey.kind)
    const isParent = kind === '' && metadataValue(bead, WorkflowKey.rootBeadId) !== '' && this.#graph.isParent(bead)
    return isParent ? 'parent' : kind
  }

  #act(tx: Tx, bead: Bead): void {
    this.#move(tx, bead, (step) => {
      const kind = this.#kindOf(bead)
      const handler = this.#handlers[kind]
      if (!handler) throw malformed(`gc does not know steps of the kind ${kind}`)
      handler(step)
    })
  }

  /** Moves a control on, unless its run is over; one that fails at that is closed, and stays to be seen. */
  #move(tx: Tx, bead: Bead, move: ControlHandler): void {
    if (bead.status === 'closed') return
    const { beads } = this.#options
    const kind = metadataValue(bead, WorkflowKey.kind)
    const root = beads.find(metadataValue(bead, WorkflowKey.rootBeadId))
    if (!root) {
      this.#orphan(tx, bead)
      return
    }
    if (
      metadataValue(root, EngineKey.cancelRequested) !== '' ||
      metadataValue(root, ResultKey.outcome) === 'canceled'
    ) {
      beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'canceled' })
      return
    }
    if (root.status === 'closed' && kind !== 'workflow-finalize') return
    try {
      move({ tx, bead, root })
    } catch (error) {
      if (!(error instanceof ControlError)) throw error
      this.#quarantine({ tx, bead, root }, error)
    }
  }

  /** Closes a control whose run does not exist. */
  #orphan(tx: Tx, bead: Bead): void {
    const isFinalizer = metadataValue(bead, WorkflowKey.kind) === 'workflow-finalize'
    const missing = { [EngineKey.missingRoot]: metadataValue(bead, WorkflowKey.rootBeadId) }
    this.#options.beads.closeWith(
      tx,
      bead.id,
      isFinalizer
        ? { [ResultKey.outcome]: 'missing_root' }
        : {
            ...missing,
            [ResultKey.outcome]: 'fail',
            [ResultKey.failureClass]: 'hard',
            [ResultKey.failureReason]: 'missing_workflow_root',
            [EngineKey.finalDisposition]: 'orphaned_workflow',
          },
    )
  }

  /** Closes a control that cannot do what it is for; it stays to be seen. */
  #quarantine({ tx, bead }: ControlStep, { reason, message }: ControlError): void {
    const { beads, clock } = this.#options
    beads.change(tx, bead.id, { labels: [QUARANTINED_LABEL] })
    beads.closeWith(tx, bead.id, {
      [ResultKey.outcome]: 'fail',
      [ResultKey.failureClass]: 'hard',
      [ResultKey.failureReason]: reason,
      [EngineKey.finalDisposition]: 'control_quarantined',
      [EngineKey.quarantined]: 'true',
      [EngineKey.quarantinedAt]: toTimestamp(clock.now()),
      [EngineKey.quarantineReason]: message,
      [EngineKey.controllerError]: message,
      [EngineKey.controllerErrorClass]: 'hard',
    })
  }
}
