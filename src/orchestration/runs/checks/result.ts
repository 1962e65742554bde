import type { CommandExit } from '../../../agents/launch/index.ts'
import { parseDuration } from '../../../core/durations.ts'
import type { Bead } from '../../../work/beads/index.ts'
import { EngineKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'
import type { CheckRow } from './table.ts'

/** Result of a check. */
export interface CheckResult {
  /** Undefined when it did not end automatically. */
  exitCode: number | undefined
  /** Other ending, in a few words. */
  reason: string
  output: string
  durationMs: number
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000

/** Maximum time the check of a control may take, in milliseconds. */
export function timeoutOf(control: Bead): number {
  const written = metadataValue(control, EngineKey.checkTimeout)
  const parsed = written === '' ? undefined : parseDuration(written)
  return parsed !== undefined && parsed > 0 ? parsed : DEFAULT_TIMEOUT_MS
}

/** Result of a check; undefined after an unrelated interruption. */
export function resultOf({ startedAt }: CheckRow, control: Bead, exit: CommandExit): CheckResult | undefined {
  const { how, exitCode, signal, output, endedAt } = exit
  const durationMs = Math.max(0, endedAt - exit.startedAt)
  if (how === 'exited') {
    const reason = signal === undefined ? `exit status ${exitCode}` : `ended by ${signal}`
    return { exitCode, reason, output, durationMs }
  }
  const timeout = timeoutOf(control)
  const isLate = startedAt !== null && endedAt >= startedAt + timeout
  if (how === 'lost' || !isLate) return undefined
  return { exitCode: undefined, reason: `timed out after ${Math.round(timeout / 1000)} s`, output, durationMs }
}
