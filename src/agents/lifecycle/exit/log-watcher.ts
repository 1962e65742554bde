import type { Entry } from '../../../programs/entries/index.ts'
import type { LogStatement } from '../../../programs/limits/index.ts'
import { readLogEntry } from '../../../programs/login-statements.ts'
import { logId } from '../../../programs/logs/index.ts'
import type { LogReading } from '../../conversations/index.ts'

/** Finds what is new in the logs of sessions about their logins. Each entry is read once. */
export class LogWatcher {
  /** The last entry that was read of each log, by session. */
  readonly #seen = new Map<string, Map<string, Entry>>()

  /** The newest statement in a log of a session since a time that was not found before. */
  read(
    session: string,
    program: string | undefined,
    { log, snapshot: { recorded } }: Pick<LogReading, 'log' | 'snapshot'>,
    since: number,
  ): LogStatement | undefined {
    const seen = this.#seen.get(session) ?? new Map<string, Entry>()
    this.#seen.set(session, seen)
    const last = seen.get(logId(log))
    const newest = recorded.at(-1)
    if (newest) seen.set(logId(log), newest)
    for (let index = recorded.length - 1; index >= 0; index--) {
      const entry = recorded[index]
      if (!entry || entry === last || (entry.timestamp ?? since) < since) return undefined
      const statement = readLogEntry(program, entry.raw)
      if (statement) return statement
    }
    return undefined
  }

  forget(session: string): void {
    this.#seen.delete(session)
  }
}
