import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store.ts'
import { agentBackoff, backoff } from './limits.ts'

type Kind = 'agent' | 'bead'

/** How often something took sessions down in a row, and when it is tried again. */
export interface FailureCount {
  subject: string
  deaths: number
  until: number
  reason: string
}

/** Keeps count of what sessions died of: of a bead they worked on, or of the agent they are. */
export class FailureCounts {
  readonly #count: Statement<FailureCount, [Kind, string, string]>
  readonly #wait: Statement<unknown, [number, Kind, string]>
  readonly #hold: Statement<unknown, [Kind, string, number, string]>
  readonly #shift: Statement<unknown, [number]>
  readonly #clear: Statement<unknown, [Kind, string]>
  readonly #all: Statement<FailureCount, [Kind]>
  readonly #one: Statement<FailureCount, [Kind, string]>

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    this.#count = store.prepare(
      `INSERT INTO troubles (kind, subject, deaths, until, reason) VALUES (?, ?, 1, 0, ?)
       ON CONFLICT DO UPDATE SET deaths = deaths + 1, reason = excluded.reason
       RETURNING subject, deaths, until, reason`,
    )
    this.#wait = store.prepare('UPDATE troubles SET until = ? WHERE kind = ? AND subject = ?')
    this.#hold = store.prepare(
      `INSERT INTO troubles (kind, subject, deaths, until, reason) VALUES (?, ?, 0, ?, ?)
       ON CONFLICT DO UPDATE SET until = max(until, excluded.until), reason = excluded.reason`,
    )
    this.#shift = store.prepare('UPDATE troubles SET until = until + ?')
    this.#clear = store.prepare('DELETE FROM troubles WHERE kind = ? AND subject = ?')
    this.#all = store.prepare('SELECT subject, deaths, until, reason FROM troubles WHERE kind = ?')
    this.#one = store.prepare('SELECT subject, deaths, until, reason FROM troubles WHERE kind = ? AND subject = ?')
  }

  /** Counts one more session that went down; the wait until the next try grows with each. */
  count(tx: Tx, kind: Kind, subject: string, reason: string): FailureCount {
    const counted = tx.get(this.#count, kind, subject, reason)
    const deaths = counted?.deaths ?? 1
    const until = this.clock.now() + (kind === 'agent' ? agentBackoff(deaths) : backoff(deaths))
    tx.run(this.#wait, until, kind, subject)
    return { subject, deaths, until, reason }
  }

  /** Says until when something is left alone, whatever it did. */
  hold(tx: Tx, kind: Kind, subject: string, until: number, reason: string): void {
    tx.run(this.#hold, kind, subject, until, reason)
  }

  /** Forgets it: the bead is done, the agent worked. */
  clear(tx: Tx, kind: Kind, subject: string): void {
    tx.run(this.#clear, kind, subject)
  }

  /** Moves the end of every wait, since the clock was set. */
  shift(tx: Tx, ms: number): void {
    tx.run(this.#shift, ms)
  }

  all(kind: Kind): Map<string, FailureCount> {
    return new Map(this.#all.all(kind).map((trouble) => [trouble.subject, trouble]))
  }

  find(kind: Kind, subject: string): FailureCount | undefined {
    return this.#one.get(kind, subject) ?? undefined
  }
}
