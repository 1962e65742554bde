import type { Bead } from '../../../work/beads/index.ts'
import { ResultKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'
import { outputError } from './output.ts'

/** An attempt that is tried again, or that failed for good. */
export interface AttemptFailure {
  is: 'transient' | 'hard'
  reason: string
}

/** Outcome of one attempt at a step. */
export type AttemptOutcome = { is: 'pass'; outcome: 'pass' | 'skipped' } | AttemptFailure

/** Judges an attempt by what its worker reported. */
export function outcomeOf(attempt: Bead): AttemptOutcome {
  const outcome = metadataValue(attempt, ResultKey.outcome)
  const failureClass = metadataValue(attempt, ResultKey.failureClass)
  const reason = metadataValue(attempt, ResultKey.failureReason)
  if (outcome === 'skipped') return { is: 'pass', outcome }
  if (outcome === 'canceled') return { is: 'hard', reason: reason || 'canceled' }
  if (outcome === 'fail') {
    const isFinal = failureClass === 'hard' || failureClass === ''
    return { is: isFinal ? 'hard' : 'transient', reason: reason || 'failed' }
  }
  if (outcome !== 'pass') return { is: 'transient', reason: outcome === '' ? 'missing_outcome' : 'invalid_outcome' }
  if (failureClass !== '' || reason !== '') return { is: 'transient', reason: reason || 'pass_with_failure' }
  const invalid = outputError(attempt)
  return invalid === undefined ? { is: 'pass', outcome } : { is: 'transient', reason: invalid }
}

/** Results that an attempt passes to its step: its output, and its own keys. */
export function results({ metadata = {} }: Bead): Record<string, string> {
  const own = Object.entries(metadata).filter(([key]) => !key.startsWith('gc.') && key !== 'close_reason')
  const output = metadata[ResultKey.outputJson]
  return { ...Object.fromEntries(own), ...(output && { [ResultKey.outputJson]: output }) }
}

/** True if a closed step failed. */
export const hasFailed = (bead: Bead): boolean => metadataValue(bead, ResultKey.outcome) === 'fail'

/** True if a closed step was left out. */
export const isSkipped = (bead: Bead): boolean => metadataValue(bead, ResultKey.outcome) === 'skipped'
