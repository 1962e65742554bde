import { appendFileSync, copyFileSync, statSync, truncateSync } from 'node:fs'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Redactor } from '../../core/redact.ts'

const MAX_LOG_BYTES = 256 << 10

/** A log of bounded size: what is older lies in `<path>.1`, once. Writes to it never fail the writer. */
export function openLog(path: string, clock: Clock, redactor: Redactor): (sentence: string) => void {
  return (sentence) => {
    try {
      rotate(path)
      appendFileSync(path, `${toTimestamp(clock.now())} ${redactor.redact(sentence).slice(0, 4096)}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not end the agents.
    }
  }
}

/** The file stays the same one: the process's own error output goes there too. */
function rotate(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < MAX_LOG_BYTES) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}
