import type { Tx } from '../../core/store.ts'
import type { LoginLimits } from '../limits/login-limits.ts'
import type { MessageQueue } from '../messaging/message-queue.ts'
import type { SessionChange, SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { FailureCounts } from './failure-counts.ts'

interface ClockShiftOptions {
  repository: SessionRepository
  queue: Pick<MessageQueue, 'shift'>
  failures: Pick<FailureCounts, 'shift'>
  limits: Pick<LoginLimits, 'shift'>
}

/**
 * The clock was changed, or the machine slept: running terms get their full length again, and no wait gets longer than
 * it was. `shift` is how far the wall clock moved against the monotonic one, in milliseconds.
 */
export function shiftDeadlines(
  tx: Tx,
  { repository, queue, failures, limits }: ClockShiftOptions,
  shift: number,
): void {
  for (const row of repository.live()) {
    const change = shiftedTimes(row, shift)
    if (Object.keys(change).length > 0) repository.update(tx, row.id, change)
  }
  queue.shift(tx, shift)
  if (shift < 0) failures.shift(tx, shift)
  limits.shift(tx, shift)
}

const shiftedTimes = (
  { state, drainAt, busyUntil, retryAt, quarantinedUntil }: SessionRow,
  shift: number,
): SessionChange => ({
  ...(state === 'draining' && drainAt !== null && { drainAt: drainAt + shift }),
  ...(busyUntil !== null && { busyUntil: busyUntil + shift }),
  ...(retryAt !== null && shift < 0 && { retryAt: retryAt + shift }),
  ...(quarantinedUntil !== null && shift < 0 && { quarantinedUntil: quarantinedUntil + shift }),
})
