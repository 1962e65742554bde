import { eq } from 'drizzle-orm'
import { gcPart } from '../../../core/actor.ts'
import type { Statement, Store } from '../../../core/store/index.ts'
import { sessionLastOutput } from './table.ts'

/** Maximum length of what is kept of a session. */
const MAX_LENGTH = 16 * 1024

/** What programs had on their screens when they ended, secrets struck out as they are on a live screen. */
export class LastOutputs {
  readonly #set: Statement<unknown, (string | number)[]>
  readonly #listeners = new Set<(session: string) => void>()

  constructor(private readonly store: Store) {
    this.#set = store.prepare(
      `INSERT INTO session_last_output (session, ended_at, text) VALUES (?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text
       WHERE ended_at <= excluded.ended_at`,
    )
  }

  /** Keeps the last lines of a run in place of those of the run before; a blank screen changes nothing. */
  async keep(session: string, lines: readonly string[], endedAt: number): Promise<void> {
    const text = lines.join('\n').trimEnd().slice(-MAX_LENGTH)
    if (text === '') return
    await this.store.write((tx) => tx.run(this.#set, session, endedAt, text), gcPart('sessions'))
    for (const listener of this.#listeners) listener(session)
  }

  /** The last lines of a session, at most so many; undefined when none are kept. */
  find(session: string, lines: number): string | undefined {
    const row = this.store.read((orm) =>
      orm.select().from(sessionLastOutput).where(eq(sessionLastOutput.session, session)).get(),
    )
    return row?.text.split('\n').slice(-lines).join('\n')
  }

  subscribe(listener: (session: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
