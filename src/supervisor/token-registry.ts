import type { City } from '../city/city.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import { errorMessage } from '../core/errors.ts'
import { command, query, type Store, type Tx } from '../core/store/index.ts'
import type { LiveToken, TokenMirror } from '../http/tokens.ts'

interface TokenRow {
  hash: string
  city: string
  expires_at: number | null
}

/** Registry data of one city's token. */
export interface RegisteredToken {
  city: string
  isLive: boolean
}

interface TokenRegistryOptions {
  store: Store
  clock: Clock
  deadlines: Deadlines
  findRunning(name: string): Pick<City, 'store' | 'tokens'> | undefined
  report(message: string): void
}

const DAY = 24 * 3_600_000
/** Maximum time ended tokens can be told from unknown ones while their city is not open. */
const RETENTION_MS = 7 * DAY
const BATCH_SIZE = 1000
const RETRY_MS = 5_000

const SAVE = command<[string, string, number | null]>(
  'INSERT OR REPLACE INTO tokens (hash, city, expires_at) VALUES (?, ?, ?)',
)

const FIND = query<TokenRow, [string]>('SELECT hash, city, expires_at FROM tokens WHERE hash = ?')

const LIVE = query<
  TokenRow,
  [string, number]
>(`SELECT hash, city, expires_at FROM tokens WHERE city = ?1 AND expires_at IS NULL
       UNION ALL SELECT hash, city, expires_at FROM tokens WHERE city = ?1 AND expires_at > ?2`)

const FORGET = command<[string, number]>('DELETE FROM tokens WHERE city = ? AND (expires_at IS NULL OR expires_at > ?)')

const DELETE = command<[number]>(`DELETE FROM tokens WHERE (hash, city) IN
         (SELECT hash, city FROM tokens WHERE expires_at IS NOT NULL AND expires_at < ? LIMIT ${BATCH_SIZE})`)

/**
 * Valid tokens of cities that are not open. The city's database owns that, and no one is let in by this copy. It
 * follows each write of the city; when a city opens, it is made equal to the city's own tokens, whatever was missed in
 * a crash, or while the city was moved or restored.
 */
export class TokenRegistry {
  /** Cities of which a change could not be written. */
  readonly #behind = new Set<string>()
  #retry: Deadline | undefined
  #retention: Deadline | undefined

  constructor(private readonly options: TokenRegistryOptions) {}

  /** Entries of a token; a copied city has the tokens of the original, so there may be several. */
  find(hash: string): RegisteredToken[] {
    const now = this.options.clock.now()
    const rows = this.options.store.read(() => this.options.store.all(FIND, hash))
    return rows.map(({ city, expires_at }) => ({ city, isLive: expires_at === null || expires_at > now }))
  }

  /** Called when a city issues or ends a token. */
  mirror(city: string): TokenMirror {
    const change = (tx: Tx, hash: string, expiresAt: () => number | null) =>
      tx.after(() => void this.#write(city, (own) => void own.run(SAVE, hash, city, expiresAt())))
    return {
      issued: (tx, { hash, expiresAt = null }) => change(tx, hash, () => expiresAt),
      ended: (tx, hash) => change(tx, hash, () => this.options.clock.now()),
    }
  }

  /** Makes the tokens of a running city equal to its own. */
  async reconcile(name: string): Promise<void> {
    const city = this.options.findRunning(name)
    if (!city) return void this.#behind.delete(name)
    try {
      await city.store.write((tx) => {
        const live = city.tokens.listLive()
        tx.after(() => void this.#write(name, (own) => this.#replace(own, name, live), true))
      })
    } catch (error) {
      this.#onFailure(name, error)
    }
  }

  /** Forgets the good tokens of a city that is unregistered; anyone who registers it again knows them. */
  forget(tx: Tx, city: string): void {
    tx.run(FORGET, city, this.options.clock.now())
  }

  /** Deletes tokens that ended long ago, now and once a day. */
  async start(): Promise<void> {
    const { store, clock, deadlines } = this.options
    this.#retention = deadlines.interval(DAY, () => this.start())
    const before = clock.now() - RETENTION_MS
    let deleted = BATCH_SIZE
    while (deleted === BATCH_SIZE) deleted = await store.write((tx) => tx.run(DELETE, before).changes)
  }

  stop(): void {
    this.#retention?.cancel()
    this.#retry?.cancel()
  }

  #replace(tx: Tx, city: string, live: readonly LiveToken[]): void {
    const now = this.options.clock.now()
    const before = new Map(this.options.store.all(LIVE, city, now).map(({ hash, expires_at }) => [hash, expires_at]))
    for (const { hash, expiresAt = null } of live) {
      if (before.get(hash) !== expiresAt) tx.run(SAVE, hash, city, expiresAt)
      before.delete(hash)
    }
    for (const hash of before.keys()) tx.run(SAVE, hash, city, now)
  }

  /** Writes what a city has on disk already; when that fails, everything of the city is written again later. */
  async #write(city: string, change: (tx: Tx) => void, isComplete = false): Promise<void> {
    try {
      await this.options.store.write(change)
      if (isComplete) this.#behind.delete(city)
    } catch (error) {
      this.#onFailure(city, error)
    }
  }

  #onFailure(city: string, error: unknown): void {
    const { deadlines, report, findRunning } = this.options
    if (!this.#behind.has(city) && findRunning(city)) {
      report(`the registry does not have the newest tokens of ${city}: ${errorMessage(error)}`)
    }
    this.#behind.add(city)
    this.#retry ??= deadlines.after(RETRY_MS, () => this.#catchUp())
  }

  async #catchUp(): Promise<void> {
    this.#retry = undefined
    if (this.options.store.failure) return
    for (const city of [...this.#behind]) await this.reconcile(city)
  }
}
