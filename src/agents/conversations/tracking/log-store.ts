import { command, query, type Store, type Tx } from '../../../core/store/index.ts'
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

const LOGS = query<StoredLog & { foundAt: number }, [string]>(
  `SELECT path, key, role, since, found_at AS foundAt FROM session_logs WHERE session_id = ?`,
)

const OWNERS = query<{ sessionId: string }, [string, string]>(
  'SELECT session_id AS sessionId FROM session_logs WHERE path = ? AND key = ?',
)

const CLAIM = command<
  [...KeyParameters, string, number, number]
>(`INSERT INTO session_logs (session_id, path, key, role, since, found_at)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role, since = excluded.since`)

const RELEASE = command<KeyParameters>('DELETE FROM session_logs WHERE session_id = ? AND path = ? AND key = ?')

const POSITION = query<FilePosition, KeyParameters>(
  `SELECT file, offset FROM session_logs WHERE session_id = ? AND path = ? AND key = ? AND file != ''`,
)

const SAVE_POSITION = command<[string, number, ...KeyParameters]>(
  'UPDATE session_logs SET file = ?, offset = ? WHERE session_id = ? AND path = ? AND key = ?',
)

const OPEN = query<{ sessionId: string }>('SELECT session_id AS sessionId FROM usage_places')

const EARLIER = query<FilePosition, [string]>(
  "SELECT file, offset FROM usage_places WHERE session_id = ? AND file != ''",
)

const SET_OPEN = command<[string]>("INSERT INTO usage_places VALUES (?, '', 0) ON CONFLICT DO NOTHING")

const SET_READ = command<[string]>('DELETE FROM usage_places WHERE session_id = ?')

/** Stores which logs make up the conversation of a session, and how far each was counted. */
export class SessionLogStore {
  constructor(private readonly store: Store) {}

  /** The logs of a session, in the order in which they were found. */
  of(session: string): StoredLog[] {
    return this.store.all(LOGS, session).sort((a, b) => a.foundAt - b.foundAt)
  }

  /** The sessions whose conversation a log belongs to. */
  ownersOf({ path, key }: LogKey): string[] {
    return this.store.all(OWNERS, path, key).map(({ sessionId }) => sessionId)
  }

  claim(tx: Tx, session: string, { path, key, role, since }: StoredLog, now: number): void {
    tx.run(CLAIM, session, path, key, role, since, now)
  }

  release(tx: Tx, session: string, { path, key }: LogKey): void {
    tx.run(RELEASE, session, path, key)
  }

  /** The position up to which a log was counted; earlier versions kept one for each session. */
  positionOf(session: string, { path, key }: LogKey): FilePosition | undefined {
    return this.store.get(POSITION, session, path, key) ?? this.store.get(EARLIER, session) ?? undefined
  }

  savePosition(tx: Tx, session: string, { path, key }: LogKey, { file, offset }: FilePosition): void {
    tx.run(SAVE_POSITION, file, offset, session, path, key)
  }

  /** The sessions whose logs were not read to their end yet. */
  open(): string[] {
    return this.store.all(OPEN).map(({ sessionId }) => sessionId)
  }

  setOpen(tx: Tx, session: string, isOpen: boolean): void {
    tx.run(isOpen ? SET_OPEN : SET_READ, session)
  }
}
