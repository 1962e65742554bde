import { fenceText } from '../../config/providers/prompt.ts'
import type { Tx } from '../../core/store.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey } from '../../work/metadata.ts'
import type { CheckResult } from '../checks/result.ts'
import type { CheckRunner } from '../checks/runner.ts'
import { metadataValue } from '../runs/node.ts'
import { type Attempts, goOn } from './attempts.ts'
import { type ControlStep, malformed } from './control.ts'
import { hasFailed, results } from './outcome.ts'

interface CheckOptions {
  beads: BeadRepository
  attempts: Attempts
  runner: CheckRunner
}

/** Has the latest iteration checked; one that failed by itself needs no check. */
export function requestCheck({ attempts, runner }: CheckOptions, step: ControlStep): void {
  if (step.bead.metadata?.[EngineKey.checkMode] !== 'exec') {
    throw malformed(`gc.check_mode of ${step.bead.id} is not exec`)
  }
  const { attempt, number } = attempts.latest(step.bead)
  const reason = metadataValue(attempt, ResultKey.failureReason) || 'the iteration failed'
  if (hasFailed(attempt)) goOn(attempts, step, number, reason)
  else runner.request(step.tx, step.bead, step.root, attempt)
}

/** Moves the graph by the verdict of a check, and leaves what it printed on the iteration that it was about. */
export function applyCheck(
  { beads, attempts }: Omit<CheckOptions, 'runner'>,
  step: ControlStep,
  attempt: Bead,
  result: CheckResult,
): void {
  keepOutput(beads, step.tx, attempt, result)
  const { number } = attempts.latest(step.bead)
  if (result.exitCode !== 0) {
    goOn(attempts, step, number, result.reason, describe(number, result))
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

const describe = (number: number, { reason, output }: CheckResult): string =>
  `The check of attempt ${number} failed (${reason}).${output === '' ? '' : ` What it printed last:\n\n${fenceText(output, 'the check')}`}`
