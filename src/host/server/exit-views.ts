import { AppError } from '../../core/errors.ts'
import type { ProcessSummary } from '../process/process-ender.ts'
import type { Exit, HostedSession, Screen } from '../protocol/session.ts'
import type { HostSession } from './session-registry.ts'

const LAST_OUTPUT_BYTES = 16 << 10

/** A session that is over, as it is listed. */
export function toHostedSession(exit: Exit, session: HostSession | undefined): HostedSession {
  const { lastOutput: _lines, streams: _streams, daemons: _daemons, endedAt: _at, ...fields } = exit
  const nothing = { kind: 'terminal' as const, cols: 0, rows: 0, bytes: 0, oldest: 0, unseen: 0 }
  return { ...nothing, ...session?.view, ...fields }
}

/** The last output of a session that is over stands for its screen. */
export function screenOfExit({ lastOutput }: Exit, lines = lastOutput.length): Screen {
  const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false }
  return { lines: lastOutput.slice(-lines), ...blank, cols: 0, rows: 0, offset: 0 }
}

/** Says which processes of a session are still there although they were killed. */
export function survivorsError(key: string, survivors: readonly ProcessSummary[]): AppError {
  const named = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ')
  return new AppError('gateway-timeout', `${key} could not be ended: ${named} survived KILL`)
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
