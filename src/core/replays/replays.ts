import type { Statement } from 'bun:sqlite'
import type { Clock } from '../clock.ts'
import type { Store, Tx } from '../store.ts'

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
export type SaveResponse = <Answer>(tx: Tx, answer: Answer) => Answer

/** For what is done without a request. */
export const withoutReplay: SaveResponse = (_tx, answer) => answer

/** A request whose work is not a write of the store, such as that of a file, and may be cut off half way. */
export interface Attempt {
  /** Whether an attempt with the same key and body began its work and was cut off: what is there may be its own. */
  readonly isRetry: boolean
  /** To be awaited right before the work, once nothing speaks against it. */
  begin(): Promise<void>
}

/** For what is done without a request, or one without a key. */
export const firstAttempt: Attempt = { isRetry: false, begin: async () => {} }

/** What is kept of an attempt that began its work, until it has an answer; no answer is empty. */
const BEGUN = ''

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
  readonly #forget: Statement<unknown, [string]>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#find = store.prepare('SELECT print, status, headers, body FROM replays WHERE scope = ? AND expires_at > ?')
    this.#keep = store.prepare(
      `INSERT OR REPLACE INTO replays (scope, print, status, headers, body, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       RETURNING n`,
    )
    this.#forget = store.prepare('DELETE FROM replays WHERE scope = ?')
    this.#drop = store.prepare(
      `DELETE FROM replays
       WHERE n < max(? + 1, coalesce((SELECT n FROM replays WHERE expires_at > ? ORDER BY n LIMIT 1), 0))`,
    )
  }

  /** The answer that is kept; `begun` when there is only an attempt that was cut off. */
  find(scope: string): Replay | { print: string; begun: true } | undefined {
    const row = this.store.read(() => this.#find.get(scope, this.clock.now()))
    if (!row) return undefined
    const { print, status, headers, body } = row
    if (body === BEGUN) return { print, begun: true }
    return { print, body: JSON.parse(body), status: status ?? undefined, headers: JSON.parse(headers) }
  }

  keep(tx: Tx, scope: string, { print, body, status, headers }: Replay): void {
    void tx
    this.#put(scope, print, status ?? null, JSON.stringify(headers), JSON.stringify(body ?? null))
  }

  /** Notes that a request begins work that could be cut off. */
  begin(scope: string, print: string): Promise<void> {
    return this.store.write(() => this.#put(scope, print, null, '{}', BEGUN))
  }

  /** Forgets a request that failed. */
  async forget(scope: string): Promise<void> {
    await this.store.write(() => void this.#forget.run(scope))
  }

  #put(scope: string, print: string, status: number | null, headers: string, body: string): void {
    const now = this.clock.now()
    const kept = this.#keep.get(scope, print, status, headers, body, now + LIFE)
    this.#drop.run((kept?.n ?? 0) - MOST, now)
  }

  /** Keeps an answer whose work was not done in a write of this store. */
  async add(scope: string, replay: Replay): Promise<void> {
    await this.store.write((tx) => this.keep(tx, scope, replay))
  }
}
