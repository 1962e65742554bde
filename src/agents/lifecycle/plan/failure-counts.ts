import type { Clock } from '../../../core/clock.ts'
import { Signal } from '../../../core/signal.ts'
import type { Statement, Store, Tx } from '../../../core/store/index.ts'
import { agentBackoff, backoff, EXPLAINED_KILLS } from './limits.ts'

type SubjectKind = 'agent' | 'bead'

/**
 * The failures in a row of one subject, and when it is tried again: of an agent the starts that failed, of a bead the
 * sessions that ended over it.
 */
export interface FailureCount {
  subject: string
  deaths: number
  until: number
  reason: string
}

/** Counts failed starts by agent, and failures of sessions by the bead they worked on. */
export class FailureCounts {
  readonly #count: Statement<FailureCount, [SubjectKind, string, string]>
  readonly #countKill: Statement<{ deaths: number; kills: number }, [string, string, number]>
  readonly #setUntil: Statement<unknown, [number, SubjectKind, string]>
  readonly #shift: Statement<unknown, [number]>
  readonly #clear: Statement<unknown, [SubjectKind, string]>
  readonly #all: Statement<FailureCount, [SubjectKind]>
  readonly #find: Statement<FailureCount, [SubjectKind, string]>
  readonly #changes = new Signal()

  constructor(
    store: Store,
    private readonly clock: Clock,
  ) {
    this.#count = store.prepare(
      `INSERT INTO troubles (kind, subject, deaths, until, reason) VALUES (?, ?, 1, 0, ?)
       ON CONFLICT DO UPDATE SET deaths = deaths + 1, reason = excluded.reason
       RETURNING subject, deaths, until, reason`,
    )
    this.#countKill = store.prepare(
      `INSERT INTO troubles (kind, subject, deaths, until, reason, kills) VALUES ('bead', ?1, 0, 0, ?2, 1)
       ON CONFLICT DO UPDATE SET kills = kills + 1, reason = excluded.reason,
         deaths = deaths + CASE WHEN kills + 1 = ?3 THEN ?3 WHEN kills >= ?3 THEN 1 ELSE 0 END
       RETURNING deaths, kills`,
    )
    this.#setUntil = store.prepare('UPDATE troubles SET until = ? WHERE kind = ? AND subject = ?')
    this.#shift = store.prepare('UPDATE troubles SET until = until + ?')
    this.#clear = store.prepare('DELETE FROM troubles WHERE kind = ? AND subject = ?')
    this.#all = store.prepare('SELECT subject, deaths, until, reason FROM troubles WHERE kind = ?')
    this.#find = store.prepare('SELECT subject, deaths, until, reason FROM troubles WHERE kind = ? AND subject = ?')
  }

  /** Counts a failure; the wait until the next try grows with each. */
  count(tx: Tx, kind: SubjectKind, subject: string, reason: string): FailureCount {
    const counted = tx.get(this.#count, kind, subject, reason)
    const deaths = counted?.deaths ?? 1
    const until = this.clock.now() + (kind === 'agent' ? agentBackoff(deaths) : backoff(deaths))
    tx.run(this.#setUntil, until, kind, subject)
    this.#changed(tx)
    return { subject, deaths, until, reason }
  }

  /**
   * Counts a session that was killed from outside while it worked on a bead. A few such kills are chance and count for
   * nothing; once there were `EXPLAINED_KILLS`, the bead explains them and all of them count.
   */
  countKill(tx: Tx, bead: string, reason: string): void {
    const counted = tx.get(this.#countKill, bead, reason, EXPLAINED_KILLS)
    if (counted && counted.kills >= EXPLAINED_KILLS)
      tx.run(this.#setUntil, this.clock.now() + backoff(counted.deaths), 'bead', bead)
  }

  /** Forgets the failures of a subject, because the bead is done or the agent worked. */
  clear(tx: Tx, kind: SubjectKind, subject: string): void {
    if (tx.run(this.#clear, kind, subject).changes > 0) this.#changed(tx)
  }

  /** Moves the end of every wait by as much as the clock was changed. */
  shift(tx: Tx, ms: number): void {
    tx.run(this.#shift, ms)
    this.#changed(tx)
  }

  all(kind: SubjectKind): Map<string, FailureCount> {
    return new Map(this.#all.all(kind).map((failure) => [failure.subject, failure]))
  }

  find(kind: SubjectKind, subject: string): FailureCount | undefined {
    return this.#find.get(kind, subject) ?? undefined
  }

  /** Calls the listener whenever a failure was counted, held or forgotten, once that is on disk. */
  readonly onChange = this.#changes.listen

  #changed(tx: Tx): void {
    tx.after(() => this.#changes.emit())
  }
}
