import type { Statement, Store, Tx } from '../../../core/store/index.ts'
import type { FilePosition } from '../../../programs/logs/index.ts'

/** The part of a log in the conversation of its session: `uncertain` ones may be another session's in the same folder. */
export type LogRole = 'main' | 'side' | 'uncertain'

/** A log of a session's conversation, as it is stored. */
export interface StoredLog {
  readonly path: string
  readonly key: string
  readonly role: LogRole
  /** Records before this time are not the session's; 0 when all are. */
  readonly since: number
}

type LogKey = Pick<StoredLog, 'path' | 'key'>
type KeyParameters = [string, string, string]

/** Stores which logs make up the conversation of a session, and how far each was counted. */
export class SessionLogStore {
  readonly #logs: Statement<StoredLog & { foundAt: number }, [string]>
  readonly #owners: Statement<{ sessionId: string }, [string, string]>
  readonly #claim: Statement<unknown, [...KeyParameters, string, number, number]>
  readonly #release: Statement<unknown, KeyParameters>
  readonly #position: Statement<FilePosition, KeyParameters>
  readonly #savePosition: Statement<unknown, [string, number, ...KeyParameters]>
  readonly #open: Statement<{ sessionId: string }, []>
  readonly #setOpen: Statement<unknown, [string]>
  readonly #setRead: Statement<unknown, [string]>
  readonly #earlier: Statement<FilePosition, [string]>

  constructor(store: Store) {
    this.#logs = store.prepare(
      `SELECT path, key, role, since, found_at AS foundAt FROM session_logs WHERE session_id = ?`,
    )
    this.#owners = store.prepare('SELECT session_id AS sessionId FROM session_logs WHERE path = ? AND key = ?')
    this.#claim = store.prepare(`INSERT INTO session_logs (session_id, path, key, role, since, found_at)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role, since = excluded.since`)
    this.#release = store.prepare('DELETE FROM session_logs WHERE session_id = ? AND path = ? AND key = ?')
    this.#position = store.prepare(
      `SELECT file, offset FROM session_logs WHERE session_id = ? AND path = ? AND key = ? AND file != ''`,
    )
    this.#savePosition = store.prepare(
      'UPDATE session_logs SET file = ?, offset = ? WHERE session_id = ? AND path = ? AND key = ?',
    )
    this.#open = store.prepare('SELECT session_id AS sessionId FROM usage_places')
    this.#setOpen = store.prepare("INSERT INTO usage_places VALUES (?, '', 0) ON CONFLICT DO NOTHING")
    this.#setRead = store.prepare('DELETE FROM usage_places WHERE session_id = ?')
    this.#earlier = store.prepare("SELECT file, offset FROM usage_places WHERE session_id = ? AND file != ''")
  }

  /** The logs of a session, in the order in which they were found. */
  of(session: string): StoredLog[] {
    return this.#logs.all(session).sort((a, b) => a.foundAt - b.foundAt)
  }

  /** The sessions whose conversation a log belongs to. */
  ownersOf({ path, key }: LogKey): string[] {
    return this.#owners.all(path, key).map(({ sessionId }) => sessionId)
  }

  claim(tx: Tx, session: string, { path, key, role, since }: StoredLog, now: number): void {
    tx.run(this.#claim, session, path, key, role, since, now)
  }

  release(tx: Tx, session: string, { path, key }: LogKey): void {
    tx.run(this.#release, session, path, key)
  }

  /** The position up to which a log was counted; earlier versions kept one for each session. */
  positionOf(session: string, { path, key }: LogKey): FilePosition | undefined {
    return this.#position.get(session, path, key) ?? this.#earlier.get(session) ?? undefined
  }

  savePosition(tx: Tx, session: string, { path, key }: LogKey, { file, offset }: FilePosition): void {
    tx.run(this.#savePosition, file, offset, session, path, key)
  }

  /** The sessions whose logs were not read to their end yet. */
  open(): string[] {
    return this.#open.all().map(({ sessionId }) => sessionId)
  }

  setOpen(tx: Tx, session: string, isOpen: boolean): void {
    tx.run(isOpen ? this.#setOpen : this.#setRead, session)
  }
}
