import type { Tx } from '../../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../../work/metadata.ts'
import { expandAttempt, type StepSpec } from '../../formulas/index.ts'
import { metadataValue } from '../node.ts'
import { type ControlStep, malformed } from './control.ts'
import type { FragmentWriter } from './fragment-writer.ts'
import type { Graph } from './graph.ts'
import { type AttemptFailure, outcomeOf, results } from './outcome.ts'
import { parseJson } from './output.ts'

export interface AttemptOptions {
  beads: BeadRepository
  graph: Graph
  writer: FragmentWriter
  onAttempt(tx: Tx, root: string): void
}

/** One line of `gc.attempt_log`. */
interface LogEntry {
  action: 'retry' | 'hard-fail' | 'fail' | 'close' | 'restart'
  attempt: string
  outcome: string
  reason?: string
}

/** Maximum length of the log of a step with many attempts: its newest part is kept. */
const MAX_LOG = 8 * 1024

/** The attempts at the step of one control. */
export class Attempts {
  constructor(private readonly options: AttemptOptions) {}

  /** The latest attempt, and its number; throws when there is none. */
  latest(bead: Bead): { attempt: Bead; number: number } {
    const numbered = this.options.graph
      .attempts(bead)
      .map((attempt) => ({ attempt, number: Number(metadataValue(attempt, WorkflowKey.attempt)) }))
      .filter(({ number }) => Number.isSafeInteger(number) && number > 0)
      .sort((a, b) => b.number - a.number)
    const [latest] = numbered
    if (!latest) throw malformed(`${bead.id} waits for no attempt at its step`)
    return latest
  }

  /** The number of the last attempt that there may be. */
  last(bead: Bead): number {
    const max = Number(metadataValue(bead, WorkflowKey.maxAttempts) || '1')
    if (Number.isSafeInteger(max) && max > 0) return restartedAfter(bead) + max
    throw malformed(`gc.max_attempts of ${bead.id} is not a count: ${metadataValue(bead, WorkflowKey.maxAttempts)}`)
  }

  /** Begins the next attempt when a person had the step begin again; returns whether it did. */
  restart(step: ControlStep): boolean {
    const { attempt, number } = this.latest(step.bead)
    if (number > restartedAfter(step.bead)) return false
    this.begin(step, number + 1, {
      ...{ action: 'restart', attempt: String(number), outcome: metadataValue(attempt, ResultKey.outcome) },
    })
    return true
  }

  /** Begins another attempt; the control waits for it. `context` is what the last one leaves for it to know. */
  begin({ tx, bead, root }: ControlStep, number: number, entry: LogEntry, context?: string): void {
    const { beads, writer, onAttempt } = this.options
    const fragment = expandAttempt({
      ...{ spec: this.#specOf(bead, root), controlRef: bead.ref ?? '', controlId: bead.id, attempt: number },
    })
    const sinks = writer.write(tx, { root, control: bead, fragment, context })
    beads.change(tx, bead.id, { metadata: { ...logged(bead, entry), [EngineKey.controlEpoch]: String(number) } })
    beads.depend(tx, bead.id, sinks)
    onAttempt(tx, root.id)
  }

  /** Closes the control with the result of its last attempt. */
  end({ tx, bead }: ControlStep, entry: LogEntry, metadata: Readonly<Record<string, string>>): void {
    this.options.beads.closeWith(tx, bead.id, { ...logged(bead, entry), ...metadata })
  }

  #specOf(bead: Bead, root: Bead): StepSpec {
    const spec = this.options.graph.specOf(root.id, bead.ref ?? '')
    const parsed = parseJson(spec?.description ?? '')?.value
    if (isSpec(parsed)) return parsed
    throw malformed(`${bead.id} has no bead of type spec that says what its attempts are made of`)
  }
}

/** The last attempt before a person had the step begin again. */
const restartedAfter = (bead: Bead): number => Number(metadataValue(bead, EngineKey.restartedAfter) || '0')

/** Checks that a spec bead written by gc has the shape of a step. */
const isSpec = (value: unknown): value is StepSpec =>
  typeof value === 'object' && value !== null && 'id' in value && 'title' in value

/** The log of a control with one more entry. */
function logged(bead: Bead, entry: LogEntry): Record<string, string> {
  const before: unknown = parseJson(metadataValue(bead, EngineKey.attemptLog) || '[]')?.value
  const entries: unknown[] = [...(Array.isArray(before) ? before : []), entry]
  while (entries.length > 1 && JSON.stringify(entries).length > MAX_LOG) entries.shift()
  return { [EngineKey.attemptLog]: JSON.stringify(entries) }
}

/** Follows the attempt that a retry control waited for: it passes on, is tried again, or fails. */
export function retry(attempts: Attempts, step: ControlStep): void {
  const { attempt, number } = attempts.latest(step.bead)
  const outcome = outcomeOf(attempt)
  if (outcome.is === 'pass') {
    const entry: LogEntry = { action: 'close', attempt: String(number), outcome: outcome.outcome }
    attempts.end(step, entry, { ...results(attempt), [ResultKey.outcome]: outcome.outcome })
    return
  }
  const { is, reason } = outcome
  const isOver = is === 'hard' || number >= attempts.last(step.bead)
  const entry: LogEntry = {
    action: is === 'hard' ? 'hard-fail' : 'retry',
    ...{ attempt: String(number), outcome: is, reason },
  }
  if (isOver) attempts.end(step, entry, exhausted(step.bead, number, outcome))
  else attempts.begin(step, number + 1, entry)
}

function exhausted(bead: Bead, number: number, outcome: AttemptFailure): Record<string, string> {
  const isSoft = outcome.is === 'transient' && metadataValue(bead, EngineKey.onExhausted) === 'soft_fail'
  return {
    [ResultKey.outcome]: isSoft ? 'pass' : 'fail',
    [ResultKey.failureClass]: outcome.is,
    [ResultKey.failureReason]: outcome.reason,
    [EngineKey.failedAttempt]: String(number),
    [EngineKey.finalDisposition]: isSoft ? 'soft_fail' : 'hard_fail',
  }
}

/** Begins the next iteration, or fails behind the last. */
export function goOn(attempts: Attempts, step: ControlStep, number: number, reason: string, context?: string): void {
  const entry = { action: 'fail', attempt: String(number), outcome: 'fail' } as const
  if (number < attempts.last(step.bead)) attempts.begin(step, number + 1, entry, context)
  else
    attempts.end(step, entry, {
      [ResultKey.outcome]: 'fail',
      [ResultKey.failureReason]: `check failed: ${reason}`,
      [EngineKey.failedAttempt]: String(number),
    })
}
