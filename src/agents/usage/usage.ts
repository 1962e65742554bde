import type { CityConfig } from '../../config/city-config.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { ModelUsage } from '../conversations/entries/entry.ts'
import type { FilePosition } from '../conversations/entries/log-reader.ts'
import type { SessionLogs } from '../conversations/tracking/session-logs.ts'
import { displayNameOf } from '../sessions/metadata.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import { Harvest } from './collector.ts'
import { Prices } from './prices.ts'
import { believed } from './sanitize.ts'
import type { UsageBody, UsageTotals } from './schema.ts'
import { type Fact, Ledger, type Part } from './usage-store.ts'

export interface UsageNeeds {
  store: Store
  clock: Clock
  reactions: Reactions
  config: { readonly current: CityConfig }
  book: SessionRepository
  logs: SessionLogs
  /** The builtin provider that a session's program is of. */
  providerOf(row: SessionRow): string | undefined
  report(message: string): void
}

/** Whose usage was just written down. */
export interface Spender {
  readonly agent: string
  readonly rig: string
}

const RECENT_MS = 5 * 60_000
const DAY = 86_400_000
const HOUR = 3_600_000
/** An answer that was given before its session was made belongs to somebody else's conversation. */
const SLACK = 60_000

/** What a city's sessions use: tokens, money, time. */
export class Usage {
  readonly #ledger: Ledger
  readonly #prices: Prices
  readonly #harvest = new Harvest()
  readonly #listeners = new Set<(tx: Tx, spender: Spender) => void>()
  #pruned = 0

  constructor(private readonly needs: UsageNeeds) {
    this.#ledger = new Ledger(needs.store)
    this.#prices = new Prices(needs.config)
    needs.logs.onRead(
      (row, view, place) => this.#read(row, this.#harvest.of(row.id, view), place),
      ({ id }) => this.#ledger.placeOf(id),
    )
    needs.reactions.on('usage.runs', ['session.stopped', 'session.crashed'], (tx, { session_id, ts }) =>
      this.#ran(tx, session_id ?? '', Date.parse(ts)),
    )
  }

  /** Hears in the same write that something was used. */
  onSpent(hear: (tx: Tx, spender: Spender) => void): void {
    this.#listeners.add(hear)
  }

  /** What a part of the city used since a moment. */
  spent(part: Part, from: number): { tokens: number; usd: number } {
    return this.#ledger.spent(part, from)
  }

  /** The city's usage as it is shown. */
  show(aggregateOnly = false): UsageBody {
    const now = this.needs.clock.now()
    const recording = this.#recorded
    if (recording !== 'local') return unavailable(now)
    const { oldest } = this.#ledger
    return {
      available: true,
      recording: true,
      source: 'local_estimate',
      today: this.#ledger.totals(midnight(now)),
      last_24h: this.#ledger.totals(now - DAY),
      recent: this.#ledger.totals(now - RECENT_MS),
      recent_window_secs: RECENT_MS / 1000,
      ...(!aggregateOnly && { recent_by_session: this.#ledger.bySession(now - RECENT_MS) }),
      ...(oldest !== undefined && { observed_from: toTimestamp(oldest) }),
      updated_at: toTimestamp(now),
    }
  }

  /** `[usage] provider`: where usage is written down; here, unless the city says otherwise. */
  get #recorded(): string {
    return this.needs.config.current.usage.provider
  }

  #read(row: SessionRow, uses: readonly ModelUsage[], place: FilePosition | undefined): void {
    const own = uses.filter(({ timestamp: at }) => at >= row.createdAt - SLACK)
    if (own.length === 0 || this.#recorded !== 'local') return
    this.needs.store
      .write((tx) => {
        const added = own.filter((use) => this.#ledger.add(tx, this.#toFact(row, use)))
        if (place) this.#ledger.putPlace(tx, row.id, place)
        if (added.length > 0) this.#spent(tx, row)
      })
      .catch((error) => {
        this.#harvest.again(row.id)
        this.needs.report(`what session ${row.id} used was not written down: ${errorMessage(error)}`)
      })
  }

  #toFact(row: SessionRow, told: ModelUsage): Fact {
    const use = believed(told, this.needs.clock.now())
    const cost = this.#prices.cost(this.needs.providerOf(row), use)
    const { id, model, timestamp: at, tokens } = use
    const { input, output, cacheRead, cacheWrite } = tokens
    return { ...whose(row), name: id, kind: 'model', at, model, input, output, cacheRead, cacheWrite, wallMs: 0, cost }
  }

  /** A session's program ended: how long it ran is written down. */
  #ran(tx: Tx, session: string, at: number): void {
    this.#harvest.forget(session)
    const row = this.needs.book.find(session)
    if (!row || row.wokeAt === null || row.wokeAt > at || this.#recorded !== 'local') return
    const nothing = { model: '', input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: undefined }
    const wallMs = Math.round(at - row.wokeAt)
    const fact: Fact = { ...whose(row), ...nothing, name: String(row.wokeAt), kind: 'compute', at, wallMs }
    if (this.#ledger.add(tx, fact)) this.#spent(tx, row)
  }

  #spent(tx: Tx, row: SessionRow): void {
    for (const hear of this.#listeners) hear(tx, whose(row))
    const now = this.needs.clock.now()
    if (now - this.#pruned < HOUR) return
    this.#pruned = now
    this.#ledger.prune(tx, now)
  }
}

const whose = (row: SessionRow) => ({
  sessionId: row.id,
  worker: displayNameOf(row),
  agent: row.kind === 'agent' ? row.template : '',
  rig: row.rig,
})

/** The beginning of the day here. */
export const midnight = (now: number): number => new Date(now).setHours(0, 0, 0, 0)

const NOTHING: UsageTotals = {
  ...{ invocations: 0, compute_facts: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 },
  ...{ cache_creation_tokens: 0, wall_seconds: 0, cost_usd_estimate: 0, unpriced: 0 },
}

const unavailable = (now: number): UsageBody => ({
  available: false,
  recording: false,
  source: 'unavailable',
  today: NOTHING,
  recent: NOTHING,
  recent_window_secs: RECENT_MS / 1000,
  updated_at: toTimestamp(now),
})
