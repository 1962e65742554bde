import type { AnsweredWrite } from '../actor.ts'
import type { Clock } from '../clock.ts'
import { sha256 } from '../digest.ts'
import { command, query, type Store } from '../store/index.ts'

/** Names a request among those of all callers. */
export interface ReplayKey {
  readonly scope: Uint8Array
  /** Milliseconds: the date of the key, or when the request came. */
  readonly at: number
  /** True if `at` is the date of the key. */
  readonly isDated: boolean
}

/** Identity of a keyed request. */
export interface KeyParts {
  readonly caller: string
  readonly method: string
  readonly path: string
  /** The value of the header. */
  readonly key: string
}

/** The digest of a request body. */
export type BodyDigest = Uint8Array

/** The outcome of a request that carried a key. */
export type Replay =
  /** Its work began, and no one knows whether it ended. */
  | { readonly kind: 'begun' }
  /** `text` is the body as JSON. */
  | { readonly kind: 'answer'; readonly text: string; readonly head: ReplayHead }
  /** The answer was large: `text` is its JSON, with ids where resources should be read again. */
  | { readonly kind: 'resource'; readonly text: string; readonly head: ReplayHead }
  /** The answer held a secret, which is not kept; `id` names the resource. */
  | { readonly kind: 'secret'; readonly id: string }

/** Set beside the response body. */
export interface ReplayHead {
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** A stored request: its key as it is stored, the digest of its body, and how it ended. */
export interface StoredReplay {
  readonly key: ReplayKey
  readonly print: BodyDigest
  readonly replay: Replay
}

interface ReplayRow {
  at: number
  kind: Replay['kind']
  print: Uint8Array
  status: number | null
  headers: string | null
  body: string
}

type Values = [at: number, scope: Uint8Array, isDated: number, print: Uint8Array, kind: string]

/** The time for which a request is remembered. */
const LIFETIME_MS = 24 * 60 * 60_000
const MAX_BYTES = 64 * 1024 * 1024
/** Bytes of a row beside its headers and body, with its part of the index. */
const ROW_BYTES = 112
/** The most rows that one write drops. */
const BATCH = 256
/** After so many requests, those that are too old are dropped. */
const EACH = 64
/** A key dated further ahead than this has a wrong date. */
const MAX_AHEAD_MS = 60_000

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

const COLUMNS = 'at, kind, print, status, headers, body'

const BYTES = `total(${ROW_BYTES} + octet_length(body) + coalesce(octet_length(headers), 0)) AS bytes`

const DATED = query<ReplayRow, [number, Uint8Array]>(
  `SELECT ${COLUMNS} FROM replays WHERE at = ? AND scope = ? AND is_dated = 1`,
)

const UNDATED = query<ReplayRow, [Uint8Array]>(`SELECT ${COLUMNS} FROM replays WHERE scope = ? AND is_dated = 0`)

const SIZE = query<{ bytes: number }>(`SELECT ${BYTES} FROM replays`)

const OLDEST = query<{ at: number }, [offset: number]>('SELECT at FROM replays ORDER BY at LIMIT 1 OFFSET ?')

const SUM_UNTIL = query<{ bytes: number; newest: number | null }, [at: number]>(
  `SELECT ${BYTES}, max(iif(is_dated, at, NULL)) AS newest FROM replays WHERE at <= ?`,
)

const MARKED = query<{ at: number }>('SELECT at FROM replays_dropped WHERE one = 1')

const PUT = command<[...Values, status: number | null, headers: string | null, body: string]>(
  `INSERT OR REPLACE INTO replays (at, scope, is_dated, print, kind, status, headers, body)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
)

const FORGET = command<[number, Uint8Array]>('DELETE FROM replays WHERE at = ? AND scope = ?')

const DROP_UNTIL = command<[at: number]>('DELETE FROM replays WHERE at <= ?')

const MARK = command<[at: number]>('UPDATE replays_dropped SET at = max(at, ?) WHERE one = 1')

/**
 * The requests to a store that carried an `Idempotency-Key`, with their answers: for a day, and 64 MB at most, the oldest
 * keys dropped first. Keys that are UUIDv7 have a date: one that is not newer than the newest ever dropped may have been
 * used, so that it is `expired`.
 */
export class Replays {
  /** Undefined until the first is kept. */
  #bytes: number | undefined
  #watermark: number | undefined
  #turn = 0

  constructor(
    readonly store: Store,
    private readonly clock: Clock,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  keyOf({ caller, method, path, key }: KeyParts): ReplayKey {
    const now = this.clock.now()
    const date = UUID_V7.test(key) ? Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16) : undefined
    const isDated = date !== undefined && date <= now + MAX_AHEAD_MS
    return { scope: digestOf(`${caller} ${method} ${path} ${key}`), at: isDated ? date : now, isDated }
  }

  /** Digests a body, so that another one under the same key is noticed. */
  static print(body: string | Uint8Array): BodyDigest {
    return digestOf(body)
  }

  /** The outcome of the request; `expired` for one that may have been forgotten, undefined for one that is new. */
  find(key: ReplayKey): StoredReplay | 'expired' | undefined {
    return this.store.read(() => {
      const row = (key.isDated && this.store.get(DATED, key.at, key.scope)) || this.store.get(UNDATED, key.scope)
      if (row) return { key: { ...key, at: row.at }, print: row.print, replay: replayOf(row) }
      this.#watermark ??= this.store.get(MARKED)?.at ?? 0
      return key.isDated && key.at <= this.#watermark ? 'expired' : undefined
    })
  }

  /** Records how a request ended, inside a write of the store. */
  put(write: AnsweredWrite, key: ReplayKey, print: BodyDigest, replay: Replay): void {
    const head = 'head' in replay ? replay.head : undefined
    const headers = head && Object.keys(head.headers).length > 0 ? JSON.stringify(head.headers) : null
    const body = bodyOf(replay)
    write.run(PUT, key.at, key.scope, Number(key.isDated), print, replay.kind, head?.status ?? null, headers, body)
    if (replay.kind === 'begun') return
    this.#bytes ??= this.store.get(SIZE)?.bytes ?? 0
    const added = ROW_BYTES + Buffer.byteLength(body) + (headers?.length ?? 0)
    const dropped = this.#drop(write, this.#bytes + added)
    write.after(() => {
      this.#bytes = (this.#bytes ?? 0) + added - dropped.bytes
      this.#watermark = Math.max(this.#watermark ?? 0, dropped.newest)
    })
  }

  /** Records that a request begins work that could be interrupted. */
  begin(key: ReplayKey, print: BodyDigest): Promise<void> {
    return this.add(key, print, { kind: 'begun' })
  }

  /** Records how a request ended whose work was not a write of this store. */
  async add(key: ReplayKey, print: BodyDigest, replay: Replay): Promise<void> {
    await this.store.write((tx) => this.put(tx, key, print, replay))
  }

  /** Forgets a request that failed. */
  async forget({ at, scope }: ReplayKey): Promise<void> {
    await this.store.write((tx) => void tx.run(FORGET, at, scope))
  }

  /** Drops some of the oldest that are too many or too old. */
  #drop(write: AnsweredWrite, bytes: number): { bytes: number; newest: number } {
    const none = { bytes: 0, newest: 0 }
    const isFull = bytes > this.maxBytes
    if (!isFull && ++this.#turn % EACH !== 0) return none
    const expired = this.clock.now() - LIFETIME_MS
    const first = this.store.get(OLDEST, 0)?.at
    if (first === undefined || (!isFull && first > expired)) return none
    const last = this.store.get(OLDEST, BATCH - 1)?.at ?? first
    const until = isFull ? last : Math.min(last, expired)
    const sum = this.store.get(SUM_UNTIL, until)
    write.run(DROP_UNTIL, until)
    if (sum?.newest) write.run(MARK, sum.newest)
    return { bytes: sum?.bytes ?? 0, newest: sum?.newest ?? 0 }
  }
}

/** The first half of a SHA-256 digest. */
const digestOf = (content: string | Uint8Array): Uint8Array => Buffer.from(sha256(content).slice(0, 32), 'hex')

function bodyOf(replay: Replay): string {
  if ('text' in replay) return replay.text
  return replay.kind === 'begun' ? '' : replay.id
}

function replayOf({ kind, status, headers, body }: ReplayRow): Replay {
  const head = { status: status ?? undefined, headers: headers === null ? {} : JSON.parse(headers) }
  if (kind === 'answer' || kind === 'resource') return { kind, text: body, head }
  return kind === 'secret' ? { kind, id: body } : { kind }
}
