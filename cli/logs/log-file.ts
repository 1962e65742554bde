import { appendFileSync, renameSync, statSync, truncateSync } from 'node:fs'

const MAX_LOG_BYTES = 8 * 1024 * 1024
/** Maximum size of the file beside the log with the process's standard output. */
const MAX_START_BYTES = 1024 * 1024
const TRIM_MS = 60_000

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Appends to a file; of a large one, the file before is kept and the one before that is not. What a full disk does not
 * take is left out, so that anyone who reports continues; the file notes the gap once it takes lines again.
 */
export function logFile(path: string): (text: string) => void {
  setInterval(() => trimStart(path), TRIM_MS).unref()
  let lost = 0
  return (text) => {
    const gap = lost === 0 ? '' : `${new Date().toISOString()} ${lost} messages before this could not be written\n`
    try {
      const size = sizeOf(path)
      if (size + text.length > MAX_LOG_BYTES && size > 0) renameSync(path, `${path}.old`)
      appendFileSync(path, gap + text, { mode: 0o600 })
      lost = 0
    } catch {
      lost++
    }
  }
}

/** Empties what the process itself wrote beside its log, once that is large. */
export function trimStart(path: string): void {
  if (sizeOf(`${path}.start`) > MAX_START_BYTES) truncateSync(`${path}.start`, 0)
}
