import { command, query, type Store, type Tx } from '../../../core/store/index.ts'

/** Position of an order's trigger. */
export interface TriggerRow {
  lastRun: number | null
  eventType: string | null
  /** The newest event that a run covers. */
  cursor: number
  /** Number of later events. */
  waiting: number
  /** The newest event that was counted. */
  newest: number
  /** The schedule that it was last seen with; null before the first look. */
  schedule: string | null
  /** Since when it can have missed a time of that schedule. */
  since: number | null
}

const FIND = query<
  TriggerRow,
  [string]
>(`SELECT last_run AS lastRun, event_type AS eventType, cursor, waiting, newest, schedule, since
       FROM order_triggers WHERE scoped_name = ?`)

const SET_RUN = command<[string, number]>(`INSERT INTO order_triggers (scoped_name, last_run) VALUES (?, ?)
       ON CONFLICT (scoped_name) DO UPDATE SET last_run = excluded.last_run`)

const SET_SCHEDULE = command<
  [string, string, number]
>(`INSERT INTO order_triggers (scoped_name, schedule, since) VALUES (?1, ?2, ?3)
       ON CONFLICT (scoped_name) DO UPDATE SET schedule = ?2, since = ?3`)

const BEGIN = command<
  [string, string, number]
>(`INSERT INTO order_triggers (scoped_name, event_type, cursor, newest) VALUES (?1, ?2, ?3, ?3)
       ON CONFLICT (scoped_name) DO UPDATE SET event_type = ?2, cursor = ?3, newest = ?3, waiting = 0`)

const COUNT = command<[number, string, number, number]>(`UPDATE order_triggers SET waiting = waiting + 1, newest = ?
       WHERE scoped_name = ? AND newest < ? AND cursor < ?`)

const COVER = command<[string]>('UPDATE order_triggers SET cursor = newest, waiting = 0 WHERE scoped_name = ?')

/** Stores how far the triggers of orders have come. */
export class TriggerStates {
  constructor(private readonly store: Store) {}

  find(scopedName: string): TriggerRow | undefined {
    return this.store.get(FIND, scopedName) ?? undefined
  }

  setRun(tx: Tx, scopedName: string, at: number): void {
    tx.run(SET_RUN, scopedName, at)
  }

  /** An order has a schedule since a moment. */
  setSchedule(tx: Tx, scopedName: string, schedule: string, since: number): void {
    tx.run(SET_SCHEDULE, scopedName, schedule, since)
  }

  /** An order waits for events of a type from now on: for those after `head`. */
  beginEvents(tx: Tx, scopedName: string, type: string, head: number): void {
    tx.run(BEGIN, scopedName, type, head)
  }

  /** Counts an event that an order waits for, once; whether it is a new one. */
  count(tx: Tx, scopedName: string, seq: number): boolean {
    return tx.run(COUNT, seq, scopedName, seq, seq).changes > 0
  }

  /** A run covers every event that was counted. */
  cover(tx: Tx, scopedName: string): void {
    tx.run(COVER, scopedName)
  }
}
