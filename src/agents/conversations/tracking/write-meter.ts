import { readFileSync } from 'node:fs'
import type { SessionRow } from '../../sessions/table.ts'

/** What was counted for a session at a time. */
interface Sample {
  readonly at: number
  readonly bytes: number
}

/** A log is noticed sooner after it was begun. */
const KEPT_MS = 10_000
/** The times of files lag behind those of the clock. */
const FILE_TIME_LAG_MS = 20
/** Processes below the first one of a session that are looked at. */
const MAX_PROCESSES = 20

/**
 * Tells which of several sessions wrote a file of theirs just now, by what the system counts for their processes.
 * Linux only; elsewhere nothing is known.
 */
export class WriteMeter {
  /** How many bytes the processes of a session had written when its logs were read lately. */
  readonly #samples = new Map<string, Sample[]>()

  note(row: SessionRow, at: number): void {
    const bytes = writtenBytes(row)
    if (bytes === undefined) return
    const samples = this.#samples.get(row.id) ?? []
    const firstKept = Math.max(
      0,
      samples.findLastIndex((sample) => sample.at < at - KEPT_MS),
    )
    this.#samples.set(row.id, [...samples.slice(firstKept), { at, bytes }])
  }

  forget(session: string): void {
    this.#samples.delete(session)
  }

  /** The only one of these sessions that wrote so much since a time; undefined when there is no such one. */
  writerOf(rows: readonly SessionRow[], bytes: number, since: number): SessionRow | undefined {
    // What is not known of a session does not clear it.
    const written = rows.map((row) => ({ row, bytes: this.#writtenSince(row, since) }))
    const able = written.filter((one) => one.bytes === undefined || one.bytes >= bytes)
    return able.length === 1 && able[0]?.bytes !== undefined ? able[0].row : undefined
  }

  #writtenSince(row: SessionRow, since: number): number | undefined {
    const before = this.#samples.get(row.id)?.findLast(({ at }) => at <= since - FILE_TIME_LAG_MS)
    const now = writtenBytes(row)
    return before === undefined || now === undefined ? undefined : now - before.bytes
  }
}

/** The bytes that a session's processes have written so far; undefined when the system does not tell. */
function writtenBytes({ pid }: SessionRow): number | undefined {
  if (pid === null || process.platform !== 'linux') return undefined
  const family = [pid]
  for (const one of family) {
    if (family.length < MAX_PROCESSES) family.push(...childrenOf(one).slice(0, MAX_PROCESSES - family.length))
  }
  const counts = family.map((one) => /^wchar: (\d+)$/m.exec(readText(`/proc/${one}/io`))?.[1])
  return counts[0] === undefined ? undefined : counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
}

const childrenOf = (pid: number): number[] =>
  readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** A file of /proc; empty when the process is gone or not ours to look at. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
