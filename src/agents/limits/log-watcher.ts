import type { Entry } from '../conversations/entries/entry.ts'
import type { LogSnapshot } from '../conversations/entries/log-reader.ts'
import { type LogStatement, readLogEntry } from './log-statements.ts'

/** Finds what is new in the logs of sessions about their logins. Each entry is read once. */
export class LogWatcher {
  readonly #seen = new Map<string, Entry>()

  /** The newest statement since a time that was not found before. */
  read(
    session: string,
    program: string | undefined,
    { entries }: LogSnapshot,
    since: number,
  ): LogStatement | undefined {
    const last = this.#seen.get(session)
    const newest = entries.at(-1)
    if (newest) this.#seen.set(session, newest)
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = entries[index]
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
