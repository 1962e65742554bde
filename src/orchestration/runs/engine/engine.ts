import { fenceText } from '../../../config/providers/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import type { Reactions, RecordedEvent } from '../../../core/events/index.ts'
import type { Tx } from '../../../core/store/index.ts'
import { redactLine } from '../../../core/text/index.ts'
import { type Bead, type BeadRepository, isControl, payloadBeadOf } from '../../../work/beads/index.ts'
import type { Convoys } from '../../../work/convoys/index.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { evaluate, parseStateCondition, type StepState } from '../../formulas/index.ts'
import { QUARANTINED_LABEL } from '../attention.ts'
import type { CheckResult } from '../checks/result.ts'
import type { CheckRunner } from '../checks/runner.ts'
import type { DrainUnits } from '../drain/units.ts'
import type { RunHolds } from '../holds.ts'
import type { RunMembers } from '../members.ts'
import { LEFTOVER_REASON, metadataValue } from '../node.ts'
import type { RunRepository } from '../repository.ts'
import { Attempts, goOn, retry } from './attempts.ts'
import { ControlError, type ControlHandler, type ControlStep, malformed } from './control.ts'
import { type DrainOptions, drain, endDrain, noteItem } from './drain.ts'
import { fanOut, isSpawning } from './fan-out.ts'
import { FragmentWriter, type ResolveTarget } from './fragment-writer.ts'
import { Graph } from './graph.ts'
import { hasFailed, results } from './outcome.ts'
import { parseJson } from './output.ts'
import { checkScope, endParent, endScope } from './scopes.ts'
import { skip } from './skip.ts'
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
  /** Continues with runs that are being canceled. */
  resumeCancels(): void
}

const BEAD_EVENTS: readonly string[] = ['bead.created', 'bead.updated', 'bead.closed', 'bead.deleted']
/** Events about a run as a whole. */
const RUN_EVENTS: readonly string[] = ['run.changed', 'run.resumed', 'run.retried', 'run.step_skipped']
/** Maximum number of controls one event may move before the rest follows from the events of those. */
const MAX_CHAIN = 100

/**
 * Runs the graphs that formulas compile to. A bead that is closed releases the controls that waited for it, and each acts
 * in the same write; what an agent is to do next is claimable as soon as that write is on disk.
 */
export class RunEngine {
  readonly #graph: Graph
  readonly #states: RunStates
  readonly #draining: DrainOptions
  readonly #timeouts: StepTimeouts
  readonly #handlers: Readonly<Record<string, ControlHandler>>

  constructor(
    private readonly context: CityContext,
    private readonly options: EngineOptions,
  ) {
    const { store } = context
    const { beads, runs, reactions } = options
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

  /** Continues with the time limits of what is worked on. */
  start(): void {
    this.#timeouts.start()
  }

  stop(): void {
    this.#timeouts.stop()
  }

  /**
   * True if something may follow from an event. Most beads are of no run, and nothing waits for one that is not closed;
   * the outcome of it later has an event of its own.
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
    const bead = this.options.beads.find(subject)
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

  /** Ends what continues for a control that is closed. */
  #endWork(tx: Tx, bead: Bead): void {
    const { checkRunner, resumeCancels } = this.options
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

  /** Remaining beads of a finished run, which its finalizer handles. */
  #leftOver(bead: Bead): string[] {
    const root = this.options.beads.find(metadataValue(bead, WorkflowKey.rootBeadId))
    return root?.status === 'closed' ? this.#graph.controls(root.id) : []
  }

  /** Lets controls act, and those that they release in their turn. */
  #advance(tx: Tx, ids: readonly string[]): void {
    const queue = [...ids]
    for (let moved = 0; moved < MAX_CHAIN && queue.length > 0; moved++) {
      const id = queue.shift() ?? ''
      const bead = this.options.beads.find(id)
      if (!bead || !this.#canAct(bead)) {
        if (bead?.issue_type === 'gate') this.#followGate(tx, bead)
        continue
      }
      this.#act(tx, bead)
      if (this.options.beads.find(id)?.status === 'closed') queue.push(...this.#graph.released(id))
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
    if (this.options.holds.isPaused(metadataValue(bead, WorkflowKey.rootBeadId))) return false
    const isParallel = metadataValue(bead, EngineKey.fanoutMode) !== 'sequential'
    return bead.is_blocked !== true || (isSpawning(bead) && isParallel)
  }

  /** Kind of handling once a bead is unblocked: its `gc.kind`, or `parent` for a step with parts. */
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
    const { beads } = this.options
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
    this.options.beads.closeWith(
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
    const { clock } = this.context
    const { beads } = this.options
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

const SPEC_REASON = 'workflow cleanup: generated spec sidecar closed with workflow root'
/** Number of members that are left are closed together: the loop is free between those. */
const SLICE = 10
const MAX_SOURCES = 50

interface FinalizeOptions {
  beads: BeadRepository
  graph: Graph
  members: RunMembers
}

/**
 * Ends a run: its root first, then what is left of it, on success the work it came from, and last the finalizer itself.
 * What is left is closed in slices; each bead that is closed brings the finalizer back until nothing is left.
 */
function finalize({ beads, graph, members }: FinalizeOptions, { tx, bead, root }: ControlStep): void {
  if (root.status !== 'closed') {
    const failed = graph.hasFailedBlocker(bead.id) || graph.hasAbortedScope(root.id)
    beads.closeWith(tx, root.id, { [ResultKey.outcome]: failed ? 'fail' : 'pass' })
  }
  const left = members.open(root.id, SLICE + 2).filter((id) => id !== bead.id)
  for (const id of left.slice(0, SLICE)) beads.closeWith(tx, id, leftoverMetadata(beads.get(id)))
  if (left.length > SLICE) return
  const outcome = metadataValue(beads.get(root.id), ResultKey.outcome)
  if (outcome === 'pass') closeSources(beads, tx, root)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass', [WorkKey.closeReason]: LEFTOVER_REASON })
}

function leftoverMetadata(bead: Bead): Record<string, string> {
  const isSpec = metadataValue(bead, WorkflowKey.kind) === 'spec'
  return isSpec
    ? { [ResultKey.outcome]: 'pass', [WorkKey.closeReason]: SPEC_REASON }
    : { [ResultKey.outcome]: 'skipped', [WorkKey.closeReason]: LEFTOVER_REASON }
}

/** Closes the work that a graph was attached to, and what that came from in its turn. */
function closeSources(beads: BeadRepository, tx: ControlStep['tx'], root: Bead): void {
  let id = metadataValue(root, EngineKey.sourceBeadId)
  for (let depth = 0; id !== '' && depth < MAX_SOURCES; depth++) {
    const source = beads.find(id)
    if (!source || source.status === 'closed') return
    beads.closeWith(tx, id, { [ResultKey.outcome]: 'pass' })
    id = metadataValue(source, EngineKey.sourceBeadId)
  }
}

interface CheckOptions {
  beads: BeadRepository
  attempts: Attempts
  runner: CheckRunner
}

/** Has the latest iteration checked; one that failed automatically needs no check. */
function requestCheck({ attempts, runner }: CheckOptions, step: ControlStep): void {
  if (step.bead.metadata?.[EngineKey.checkMode] !== 'exec') {
    throw malformed(`gc.check_mode of ${step.bead.id} is not exec`)
  }
  const { attempt, number } = attempts.latest(step.bead)
  const reason = metadataValue(attempt, ResultKey.failureReason) || 'the iteration failed'
  if (hasFailed(attempt)) goOn(attempts, step, number, reason)
  else runner.request(step.tx, step.bead, step.root, attempt)
}

/** Moves the graph by the verdict of a check, and leaves what it printed on the iteration that it was about. */
function applyCheck(
  { beads, attempts }: Omit<CheckOptions, 'runner'>,
  step: ControlStep,
  attempt: Bead,
  result: CheckResult,
): void {
  keepOutput(beads, step.tx, attempt, result)
  const { number } = attempts.latest(step.bead)
  if (result.exitCode !== 0) {
    goOn(attempts, step, number, reasonOf(result), describe(number, result))
    return
  }
  const entry = { action: 'close', attempt: String(number), outcome: 'pass' } as const
  attempts.end(step, entry, { ...results(attempt), [ResultKey.outcome]: 'pass' })
}

function keepOutput(beads: BeadRepository, tx: Tx, attempt: Bead, { exitCode, output, durationMs }: CheckResult): void {
  beads.change(tx, attempt.id, {
    metadata: {
      [EngineKey.exitCode]: String(exitCode ?? ''),
      [EngineKey.stdout]: output,
      [EngineKey.durationMs]: String(durationMs),
    },
  })
}

/** Maximum characters of a check's output in the reason of a failed step. */
const MAX_LINE = 200

/** The reason of a failed check, with the last line that it printed. */
function reasonOf({ reason, output }: CheckResult): string {
  const line = redactLine(output.trimEnd().split('\n').at(-1)?.trim() ?? '')
    .slice(0, MAX_LINE)
    .toWellFormed()
  return line ? `${reason}; output: ${line}` : reason
}

const describe = (number: number, { reason, output }: CheckResult): string =>
  `The check of attempt ${number} failed (${reason}).${output === '' ? '' : ` Its last output:\n\n${fenceText(output, 'the check')}`}`

interface ConditionOptions {
  beads: BeadRepository
  graph: Graph
  members: RunMembers
}

/** Ends a loop once its condition holds for the round that is over, or begins the next. */
function decideRound(options: ConditionOptions & { attempts: Attempts }, step: ControlStep): void {
  const { graph, attempts } = options
  const { attempt, number } = attempts.latest(step.bead)
  const scope = metadataValue(attempt, WorkflowKey.stepRef)
  const suffix = `.iteration.${number}.${metadataValue(step.bead, EngineKey.conditionStep)}`
  const about = graph.scopeMembers(step.root.id, scope).find(({ ref = '' }) => ref.endsWith(suffix))
  if (!hasFailed(attempt) && about && holds(step.bead, about)) {
    const entry = { action: 'close', attempt: String(number), outcome: 'pass' } as const
    attempts.end(step, entry, { ...results(about), [ResultKey.outcome]: 'pass' })
  } else goOn(attempts, step, number, `${metadataValue(step.bead, EngineKey.condition)} does not hold`)
}

/** Lets the step behind a condition begin, or skips it with all that is made of it. */
function decideStep({ beads, graph, members }: ConditionOptions, { tx, bead, root }: ControlStep): void {
  const reference = metadataValue(bead, EngineKey.conditionStep)
  const isAbout = ({ ref }: Bead) => ref === reference
  const about = graph.blockers(bead.id).find(isAbout) ?? [...members.of(root.id)].find(isAbout)
  if (!about) throw malformed(`${bead.id} is about the step ${reference}, and the run has none of that name`)
  if (!holds(bead, about)) for (const step of conditional(beads, bead)) skip({ beads, graph }, tx, step)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass' })
}

/** The step that a condition is before. */
const conditional = (beads: BeadRepository, { id, ref = '' }: Bead): Bead[] =>
  beads
    .list(beads.dependentsOf(id).map(({ issue_id }) => issue_id))
    .filter((step) => step.ref === ref.replace(/-condition$/, ''))

function holds(control: Bead, about: Bead): boolean {
  const written = metadataValue(control, EngineKey.condition)
  const condition = parseStateCondition(written)
  if (!condition) throw malformed(`gc.condition of ${control.id} cannot be evaluated: ${written}`)
  return evaluate(condition, () => stateOf(about))
}

function stateOf(bead: Bead): StepState {
  const outcome = metadataValue(bead, ResultKey.outcome)
  const output = parseJson(metadataValue(bead, ResultKey.outputJson))
  return {
    status: bead.status === 'closed' ? 'complete' : bead.status,
    ...(outcome && { outcome }),
    ...(output && { output: output.value }),
  }
}

/** Lets what needs a step continue, unless the step failed: then a person decides. */
function guardStep({ beads, graph }: ConditionOptions, { tx, bead }: ControlStep): 'waits' | 'passed' {
  if (graph.blockers(bead.id).some(hasFailed)) return 'waits'
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass' })
  return 'passed'
}
