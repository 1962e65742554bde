import type { Clock } from '../clock.ts'
import type { Statement, Store, Tx } from '../store/index.ts'

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

/** For work without a request, or with a request that has no key. */
export const withoutReplay: SaveResponse = (_tx, response) => response

/** A request whose work is not a write of the store, such as writing a file, and may be interrupted. */
export interface Attempt {
  /** Whether an earlier attempt with the same key and body was interrupted: what exists may be its result. */
  readonly isRetry: boolean
  /** To be awaited right before the work, once every check has passed. */
  begin(): Promise<void>
}

/** For work without a request, or with a request that has no key. */
export const firstAttempt: Attempt = { isRetry: false, begin: async () => {} }

/** Stored for an attempt that began its work, until it has a response; no response is empty. */
const NO_RESPONSE = ''

/** A request with a key: whose it is, and what names the key among those of all callers. */
export interface ReplayKey {
  readonly caller: string
  readonly scope: string
}

interface ReplayRow {
  print: string
  status: number | null
  headers: string
  body: string
}

const LIFETIME_MS = 30 * 60_000
/** How many of one caller are kept, so that nobody displaces those of others, and how many of all. */
const MAX_OF_CALLER = 1024
const MAX_REPLAYS = 64 * MAX_OF_CALLER

/** The responses to a store's requests that carried a key: kept for half an hour, the newest thousand of each caller. */
export class Replays {
  readonly #find: Statement<ReplayRow, [string, number]>
  readonly #keep: Statement<
    { n: number; turn: number },
    [string, string, number | null, string, string, number, string]
  >
  readonly #dropOfCaller: Statement<unknown, [string, number]>
  readonly #drop: Statement<unknown, [number, number]>
  readonly #forget: Statement<unknown, [string]>

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.#find = store.prepare('SELECT print, status, headers, body FROM replays WHERE scope = ? AND expires_at > ?')
    this.#keep = store.prepare(
      `INSERT OR REPLACE INTO replays (scope, print, status, headers, body, expires_at, caller, turn)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT coalesce(max(turn), 0) + 1 FROM replays WHERE caller = ?7))
       RETURNING n, turn`,
    )
    this.#dropOfCaller = store.prepare('DELETE FROM replays WHERE caller = ? AND turn <= ?')
    this.#forget = store.prepare('DELETE FROM replays WHERE scope = ?')
    this.#drop = store.prepare(
      `DELETE FROM replays
       WHERE n < max(? + 1, coalesce((SELECT n FROM replays WHERE expires_at > ? ORDER BY n LIMIT 1), 0))`,
    )
  }

  /** The stored response; `begun` when there is only an interrupted attempt. */
  find({ scope }: ReplayKey): Replay | { digest: string; begun: true } | undefined {
    const row = this.store.read(() => this.#find.get(scope, this.clock.now()))
    if (!row) return undefined
    const { print, status, headers, body } = row
    if (body === NO_RESPONSE) return { digest: print, begun: true }
    return { digest: print, body: JSON.parse(body), status: status ?? undefined, headers: JSON.parse(headers) }
  }

  keep(tx: Tx, key: ReplayKey, { digest, body, status, headers }: Replay): void {
    this.#put(tx, key, digest, status ?? null, JSON.stringify(headers), JSON.stringify(body ?? null))
  }

  /** Records that a request begins work that could be interrupted. */
  begin(key: ReplayKey, digest: string): Promise<void> {
    return this.store.write((tx) => this.#put(tx, key, digest, null, '{}', NO_RESPONSE))
  }

  /** Forgets a request that failed. */
  async forget({ scope }: ReplayKey): Promise<void> {
    await this.store.write((tx) => void tx.run(this.#forget, scope))
  }

  #put(tx: Tx, key: ReplayKey, digest: string, status: number | null, headers: string, body: string): void {
    const { scope, caller } = key
    const now = this.clock.now()
    const { n = 0, turn = 0 } =
      tx.get(this.#keep, scope, digest, status, headers, body, now + LIFETIME_MS, caller) ?? {}
    if (turn > MAX_OF_CALLER) tx.run(this.#dropOfCaller, caller, turn - MAX_OF_CALLER)
    tx.run(this.#drop, n - MAX_REPLAYS, now)
  }

  /** Saves a response whose work was not a write of this store. */
  async add(key: ReplayKey, replay: Replay): Promise<void> {
    await this.store.write((tx) => this.keep(tx, key, replay))
  }
}
