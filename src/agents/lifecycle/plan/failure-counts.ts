import type { Clock } from '../../../core/clock.ts'
import { Signal } from '../../../core/signal.ts'
import { command, query, type Store, type Tx } from '../../../core/store/index.ts'
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

const COUNT = command<
  [SubjectKind, string, string],
  FailureCount
>(`INSERT INTO troubles (kind, subject, deaths, until, reason) VALUES (?, ?, 1, 0, ?)
       ON CONFLICT DO UPDATE SET deaths = deaths + 1, reason = excluded.reason
       RETURNING subject, deaths, until, reason`)

const COUNT_KILL = command<
  [string, string, number],
  { deaths: number; kills: number }
>(`INSERT INTO troubles (kind, subject, deaths, until, reason, kills) VALUES ('bead', ?1, 0, 0, ?2, 1)
       ON CONFLICT DO UPDATE SET kills = kills + 1, reason = excluded.reason,
         deaths = deaths + CASE WHEN kills + 1 = ?3 THEN ?3 WHEN kills >= ?3 THEN 1 ELSE 0 END
       RETURNING deaths, kills`)

const SET_UNTIL = command<[number, SubjectKind, string]>('UPDATE troubles SET until = ? WHERE kind = ? AND subject = ?')

const SHIFT = command<[number]>('UPDATE troubles SET until = until + ?')

const CLEAR = command<[SubjectKind, string]>('DELETE FROM troubles WHERE kind = ? AND subject = ?')

const ALL = query<FailureCount, [SubjectKind]>('SELECT subject, deaths, until, reason FROM troubles WHERE kind = ?')

const FIND = query<FailureCount, [SubjectKind, string]>(
  'SELECT subject, deaths, until, reason FROM troubles WHERE kind = ? AND subject = ?',
)

/** Counts failed starts by agent, and failures of sessions by the bead they worked on. */
export class FailureCounts {
  readonly #changes = new Signal()

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Counts a failure; the wait until the next try grows with each. */
  count(tx: Tx, kind: SubjectKind, subject: string, reason: string): FailureCount {
    const counted = tx.get(COUNT, kind, subject, reason)
    const deaths = counted?.deaths ?? 1
    const until = this.clock.now() + (kind === 'agent' ? agentBackoff(deaths) : backoff(deaths))
    tx.run(SET_UNTIL, until, kind, subject)
    this.#changed(tx)
    return { subject, deaths, until, reason }
  }

  /**
   * Counts a session that was killed from outside while it worked on a bead. A few such kills are chance and count for
   * nothing; once there were `EXPLAINED_KILLS`, the bead explains them and all of them count.
   */
  countKill(tx: Tx, bead: string, reason: string): void {
    const counted = tx.get(COUNT_KILL, bead, reason, EXPLAINED_KILLS)
    if (counted && counted.kills >= EXPLAINED_KILLS)
      tx.run(SET_UNTIL, this.clock.now() + backoff(counted.deaths), 'bead', bead)
  }

  /** Forgets the failures of a subject, because the bead is done or the agent worked. */
  clear(tx: Tx, kind: SubjectKind, subject: string): void {
    if (tx.run(CLEAR, kind, subject).changes > 0) this.#changed(tx)
  }

  /** Moves the end of every wait by as much as the clock was changed. */
  shift(tx: Tx, ms: number): void {
    tx.run(SHIFT, ms)
    this.#changed(tx)
  }

  all(kind: SubjectKind): Map<string, FailureCount> {
    return new Map(this.store.all(ALL, kind).map((failure) => [failure.subject, failure]))
  }

  find(kind: SubjectKind, subject: string): FailureCount | undefined {
    return this.store.get(FIND, kind, subject) ?? undefined
  }

  /** Calls the listener whenever a failure was counted, held or forgotten, once that is on disk. */
  readonly onChange = this.#changes.listen

  #changed(tx: Tx): void {
    tx.after(() => this.#changes.emit())
  }
}
