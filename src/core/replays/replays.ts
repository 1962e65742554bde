import type { Statement } from 'bun:sqlite'
import type { Clock } from '../clock.ts'
import type { Store, Tx } from '../store.ts'

/** The response to a request with an `Idempotency-Key`, sent again when the request is repeated. */
export interface Replay {
  /** The digest of the request body. */
  readonly digest: string
  readonly body: unknown
  /** What was set beside the response body. */
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Saves a response in the write that produces it, so that both are on disk or neither, and returns it. Without a key it
 * only returns it.
 */
export type SaveResponse = <Response>(tx: Tx, response: Response) => Response

/** For work that no request asked for, or one without a key. */
export const withoutReplay: SaveResponse = (_tx, response) => response

/** A request whose work is not a write of the store, such as writing a file, and may be interrupted. */
export interface Attempt {
  /** Whether an earlier attempt with the same key and body was interrupted: what exists may be its result. */
  readonly isRetry: boolean
  /** To be awaited right before the work, once every check has passed. */
  begin(): Promise<void>
}

/** For work that no request asked for, or one without a key. */
export const firstAttempt: Attempt = { isRetry: false, begin: async () => {} }

/** Stored for an attempt that began its work, until it has a response; no response is empty. */
const NO_RESPONSE = ''

interface ReplayRow {
  print: string
  status: number | null
  headers: string
  body: string
}

const LIFETIME_MS = 30 * 60_000
const MAX_REPLAYS = 1024

/** The responses to a store's requests that carried a key: kept for half an hour, the newest thousand of them. */
export class Replays {
  readonly #find: Statement<ReplayRow, [string, number]>
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

  /** The stored response; `begun` when there is only an interrupted attempt. */
  find(scope: string): Replay | { digest: string; begun: true } | undefined {
    const row = this.store.read(() => this.#find.get(scope, this.clock.now()))
    if (!row) return undefined
    const { print, status, headers, body } = row
    if (body === NO_RESPONSE) return { digest: print, begun: true }
    return { digest: print, body: JSON.parse(body), status: status ?? undefined, headers: JSON.parse(headers) }
  }

  keep(tx: Tx, scope: string, { digest, body, status, headers }: Replay): void {
    this.#put(tx, scope, digest, status ?? null, JSON.stringify(headers), JSON.stringify(body ?? null))
  }

  /** Records that a request begins work that could be interrupted. */
  begin(scope: string, digest: string): Promise<void> {
    return this.store.write((tx) => this.#put(tx, scope, digest, null, '{}', NO_RESPONSE))
  }

  /** Forgets a request that failed. */
  async forget(scope: string): Promise<void> {
    await this.store.write((tx) => void tx.run(this.#forget, scope))
  }

  #put(tx: Tx, scope: string, digest: string, status: number | null, headers: string, body: string): void {
    const now = this.clock.now()
    const stored = tx.get(this.#keep, scope, digest, status, headers, body, now + LIFETIME_MS)
    tx.run(this.#drop, (stored?.n ?? 0) - MAX_REPLAYS, now)
  }

  /** Saves a response whose work was not a write of this store. */
  async add(scope: string, replay: Replay): Promise<void> {
    await this.store.write((tx) => this.keep(tx, scope, replay))
  }
}
