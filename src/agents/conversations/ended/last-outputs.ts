import { eq } from 'drizzle-orm'
import { gcPart } from '../../../core/actor.ts'
import { command, type Store, type Tx } from '../../../core/store/index.ts'
import { sessionLastOutput } from './table.ts'

/** Maximum length of what is kept of a session. */
const MAX_LENGTH = 16 * 1024
const MAX_REASON = 500

const SET = command<(string | number)[]>(`INSERT INTO session_last_output (session, ended_at, text) VALUES (?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text
       WHERE ended_at <= excluded.ended_at OR text = ''`)

const EXPLAIN = command<(string | number)[]>(`INSERT INTO session_last_output (session, ended_at, why) VALUES (?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET why = excluded.why`)

const FORGET = command<string[]>(`UPDATE session_last_output SET why = '' WHERE session = ? AND why <> ''`)

/** Exit reasons of programs with their last screens, redacted like live screens. */
export class LastOutputs {
  constructor(private readonly store: Store) {}

  /** Keeps the last lines of a run in place of those of the run before; a blank screen changes nothing. */
  async keep(session: string, lines: readonly string[], endedAt: number): Promise<void> {
    const text = lines.join('\n').trimEnd().slice(-MAX_LENGTH)
    if (text === '') return
    await this.store.write((tx) => tx.run(SET, session, endedAt, text), gcPart('sessions'))
  }

  /** Records why the last run of a session ended. */
  explain(tx: Tx, session: string, why: string, endedAt: number): void {
    tx.run(EXPLAIN, session, endedAt, why.slice(0, MAX_REASON))
  }

  /** Forgets why an earlier run ended: the reason of this one may stay unknown. */
  forgetReason(tx: Tx, session: string): void {
    tx.run(FORGET, session)
  }

  /** Reason the last run of a session ended; undefined when that is not known. */
  reasonOf(session: string): string | undefined {
    return this.#row(session)?.why || undefined
  }

  /** The last lines of a session, at most so many; undefined when none are kept. */
  find(session: string, lines: number): string | undefined {
    return this.#row(session)?.text.split('\n').slice(-lines).join('\n') || undefined
  }

  #row(session: string) {
    return this.store.read((orm) =>
      orm.select().from(sessionLastOutput).where(eq(sessionLastOutput.session, session)).get(),
    )
  }
}
