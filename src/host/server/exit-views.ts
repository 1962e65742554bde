import type { Exit, HostedSession } from '../protocol/session.ts'
import type { HostSession } from './session-registry.ts'

const LAST_OUTPUT_BYTES = 16 << 10

/** A session that is over, as it is listed. */
export function toHostedSession(exit: Exit, session: HostSession | undefined): HostedSession {
  const { lastOutput: _lines, streams: _streams, daemons: _daemons, endedAt: _at, ...fields } = exit
  const nothing = { kind: 'terminal' as const, cols: 0, rows: 0, bytes: 0, oldest: 0, unseen: 0 }
  return { ...nothing, ...session?.view, ...fields }
}

/** The last lines that fit. */
export function lastLines(lines: readonly string[]): string[] {
  let room = LAST_OUTPUT_BYTES
  const from = lines.findLastIndex((line) => {
    room -= Buffer.byteLength(line) + 1
    return room < 0
  })
  return lines.slice(from + 1)
}
