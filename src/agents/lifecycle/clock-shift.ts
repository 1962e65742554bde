import type { Tx } from '../../core/store.ts'
import type { BuiltParts } from '../sessions/parts.ts'
import type { SessionChange } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'

/**
 * The clock was set, or the machine slept: what sessions were granted time for has that time again, and no wait gets
 * longer than it was. `shift` is how far the wall clock moved against the monotonic one, in milliseconds.
 */
export function shiftDeadlines(tx: Tx, { book, messages, troubles }: BuiltParts, shift: number): void {
  for (const row of book.live()) {
    const change = shifted(row, shift)
    if (Object.keys(change).length > 0) book.update(tx, row.id, change)
  }
  messages.shift(tx, shift)
  if (shift < 0) troubles.shift(tx, shift)
}

const shifted = (
  { state, drainAt, busyUntil, retryAt, quarantinedUntil }: SessionRow,
  shift: number,
): SessionChange => ({
  ...(state === 'draining' && drainAt !== null && { drainAt: drainAt + shift }),
  ...(busyUntil !== null && { busyUntil: busyUntil + shift }),
  ...(retryAt !== null && shift < 0 && { retryAt: retryAt + shift }),
  ...(quarantinedUntil !== null && shift < 0 && { quarantinedUntil: quarantinedUntil + shift }),
})
