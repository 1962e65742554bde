import type { Statement } from 'bun:sqlite'
import type { Clock } from './clock.ts'
import type { Store, Tx } from './store.ts'

/** What a request with an `Idempotency-Key` was answered, to be sent again to whoever repeats it. */
export interface Replay {
  /** Tells one body from another. */
  readonly print: string
  readonly body: unknown
  /** What was set beside the body. */
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Keeps an answer in the write that makes it, so that both are on disk or neither: `once(tx, answer)` gives the answer
 * back. Without a key it does nothing else.
 */
export type Once = <Answer>(tx: Tx, answer: Answer) => Answer

/** For what is done without a request. */
export const everyTime: Once = (_tx, answer) => answer

interface Row {
  print: string
  status: number | null
  headers: string
  body: string
}

const LIFE = 30 * 60_000
const MOST = 1024

/** The answers of a store's requests that carried a key: kept for half an hour, the newest thousand of them. */
export class Replays {
  readonly #find: Statement<Row, [string, number]>
  readonly #keep: Statement<{ n: number }, [string, string, number | null, string, string, number]>
  readonly #drop: Statement<unknown, [number, number]>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#find = store.prepare('SELECT print, status, headers, body FROM replays WHERE scope = ? AND expires_at > ?')
    this.#keep = store.prepare(
      `INSERT OR REPLACE INTO replays (scope, print, status, headers, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       RETURNING n`,
    )
    this.#drop = store.prepare(
      `DELETE FROM replays
       WHERE n < max(? + 1, coalesce((SELECT n FROM replays WHERE expires_at > ? ORDER BY n LIMIT 1), 0))`,
    )
  }

  find(scope: string): Replay | undefined {
    const row = this.store.read(() => this.#find.get(scope, this.clock.now()))
    if (!row) return undefined
    const { print, status, headers, body } = row
    return { print, body: JSON.parse(body), status: status ?? undefined, headers: JSON.parse(headers) }
  }

  keep(tx: Tx, scope: string, { print, body, status, headers }: Replay): void {
    void tx
    const now = this.clock.now()
    const text = JSON.stringify(body ?? null)
    const kept = this.#keep.get(scope, print, status ?? null, JSON.stringify(headers), text, now + LIFE)
    this.#drop.run((kept?.n ?? 0) - MOST, now)
  }

  /** Keeps an answer whose work was not done in a write of this store. */
  async add(scope: string, replay: Replay): Promise<void> {
    await this.store.write((tx) => this.keep(tx, scope, replay))
  }
}
