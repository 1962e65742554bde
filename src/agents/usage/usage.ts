import { join } from 'node:path'
import type { CityConfig } from '../../config/city/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/index.ts'
import { Signal } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import { UNNAMED_MODEL } from '../../programs/entries/index.ts'
import {
  displayNameOf,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
} from '../../work/sessions/index.ts'
import type { LogReading, SessionLogs } from '../conversations/index.ts'
import { type CollectedUsage, UsageCollector } from './collector.ts'
import { daysUntil, usageHistory } from './history.ts'
import { PriceLists } from './price-list.ts'
import { Prices } from './prices.ts'
import { sanitizeUsage } from './sanitize.ts'
import type { PriceList, SessionUsage, UsageBody, UsageHistory, UsageTotals } from './schema.ts'
import { type Spent, type UsageFact, type UsageScope, UsageStore } from './usage-store.ts'

export interface UsageDependencies {
  reactions: Reactions
  config: { readonly current: CityConfig }
  sessionRepository: SessionRepository
  resolver: Pick<SessionResolver, 'resolve'>
  logs: SessionLogs
  /** `$GC_HOME`, where `prices.json` may replace the list prices. */
  home: string
  /** The built-in provider of a session's program. */
  providerOf(row: SessionRow): string | undefined
}

/** The agent, rig and login of usage that was just recorded. */
export interface UsageOwner {
  readonly agent: string
  readonly rig: string
  readonly login: string
  /** Time of the model's newest response; undefined for the running time of a session. */
  readonly answeredAt?: number
}

const RECENT_MS = 5 * 60_000
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Maximum number of models without a price that are reported. */
const MAX_REPORTED = 100
/** A response from before its session was created belongs to another session's conversation. */
const TIME_TOLERANCE_MS = 60_000

/** The usage of a city's sessions: tokens, money, time. */
export class Usage {
  readonly #store: UsageStore
  readonly #priceLists: PriceLists
  readonly #prices: Prices
  readonly #collector = new UsageCollector()
  readonly #recorded = new Signal<[tx: Tx, spender: UsageOwner]>()
  /** Models without a price that were reported. */
  readonly #unpriced = new Set<string>()
  #prunedAt = 0

  constructor(
    private readonly context: CityContext,
    private readonly dependencies: UsageDependencies,
  ) {
    this.#store = new UsageStore(context.store)
    this.#priceLists = new PriceLists(join(dependencies.home, 'prices.json'), context.report)
    this.#prices = new Prices(dependencies.config, this.#priceLists)
    dependencies.logs.onRead((row, reading) => this.#record(row, reading))
    dependencies.reactions.on('usage.runs', ['session.stopped', 'session.crashed'], (tx, { session_id, ts }) =>
      this.#recordRun(tx, session_id ?? '', Date.parse(ts)),
    )
  }

  /** Calls the listener in the write that records usage. */
  readonly onUsage = this.#recorded.listen

  /** The usage of a scope since a time. */
  spent(scope: UsageScope, from: number): Spent {
    return this.#store.spent(scope, from)
  }

  /** Usage of a session from one time to another; usage older than a month may be missing. */
  ofSession(session: string, from: number, to: number): UsageTotals {
    return this.#store.ofSession(session, from, to)
  }

  /** Usage of each of the given number of days up to today. */
  history(days: number): UsageHistory {
    const shown = daysUntil(this.context.clock.now(), days)
    return usageHistory(shown, this.#store.days.since(shown[0] ?? ''))
  }

  /** Usage of one session, including ended ones. */
  showSession(token: string): SessionUsage {
    const { id } = this.dependencies.resolver.resolve(token, { past: true })
    const { compute_facts: _, wall_seconds: __, ...used } = this.#store.ofSession(id, 0, this.context.clock.now())
    return { session_id: id, ...used }
  }

  /** The list prices in use. */
  prices(): PriceList {
    return this.#priceLists.current
  }

  show(aggregateOnly = false): UsageBody {
    const now = this.context.clock.now()
    if (this.#recorder !== 'local') return unavailable(now)
    const { oldest } = this.#store
    return {
      available: true,
      recording: true,
      source: 'local_estimate',
      today: this.#totals(midnight(now), now),
      last_24h: this.#totals(now - DAY_MS, now),
      recent: this.#totals(now - RECENT_MS, now),
      recent_window_secs: RECENT_MS / 1000,
      ...(!aggregateOnly && { recent_by_session: this.#store.bySession(now - RECENT_MS) }),
      ...(oldest !== undefined && { observed_from: toTimestamp(oldest) }),
      updated_at: toTimestamp(now),
    }
  }

  /** The usage since a time, with the time that sessions have run which still do. */
  #totals(from: number, now: number): UsageTotals {
    const totals = this.#store.totals(from)
    const running = this.dependencies.sessionRepository
      .live()
      .filter(({ hostKey, pid }) => hostKey !== null && pid !== null)
    const runningMs = running.reduce((sum, { wokeAt }) => sum + Math.max(0, now - Math.max(wokeAt ?? now, from)), 0)
    return { ...totals, wall_seconds: totals.wall_seconds + runningMs / 1000 }
  }

  /** `[usage] provider`: where usage is recorded; locally, unless the city declares otherwise. */
  get #recorder(): string {
    return this.dependencies.config.current.usage.provider
  }

  #record(row: SessionRow, { log, since, snapshot, position }: LogReading): void {
    const uses = this.#collector.collect(row.id, snapshot)
    const from = Math.max(since, row.createdAt - TIME_TOLERANCE_MS)
    const own = uses.filter(({ timestamp }) => timestamp >= from)
    if (own.length === 0 || this.#recorder !== 'local') return
    this.context.store
      .write((tx) => {
        const added = own.filter((use) => this.#store.add(tx, this.#toFact(row, use)))
        if (position) this.dependencies.logs.savePosition(tx, row, log, position)
        if (added.length > 0) this.#notify(tx, row, Math.max(...added.map(({ timestamp }) => timestamp)))
      })
      .catch((error) => {
        this.#collector.retry(row.id)
        this.context.report(`what session ${row.id} used was not recorded: ${errorMessage(error)}`)
      })
  }

  #toFact(row: SessionRow, reported: CollectedUsage): UsageFact {
    const use = sanitizeUsage(reported, this.context.clock.now())
    const cost = this.#prices.cost(this.dependencies.providerOf(row), use)
    const { id, model, timestamp: at, tokens } = use
    if (cost === undefined) this.#reportUnpriced(model)
    const { input, output, cacheRead, cacheWrite } = tokens
    return {
      ...ownerFields(row),
      name: id,
      entry: reported.entry,
      kind: 'model',
      at,
      model,
      input,
      output,
      cacheRead,
      cacheWrite,
      wallMs: 0,
      cost,
      ...(cost === undefined && { assumed: this.#prices.ceiling(use) }),
    }
  }

  /**
   * A model without a price is reported once, however many sessions use it; what a log does not name no one can
   * declare.
   */
  #reportUnpriced(model: string): void {
    if (model === UNNAMED_MODEL || this.#unpriced.has(model) || this.#unpriced.size >= MAX_REPORTED) return
    this.#unpriced.add(model)
    const remedy = 'declare it in [[pricing]] of city.toml, or add it to $GC_HOME/prices.json'
    this.context.report(`the price of model ${JSON.stringify(model)} is not known: ${remedy}`)
  }

  /** Records how long a session's program ran. */
  #recordRun(tx: Tx, session: string, at: number): void {
    this.#collector.forget(session)
    const row = this.dependencies.sessionRepository.find(session)
    if (!row || row.wokeAt === null || row.wokeAt > at || this.#recorder !== 'local') return
    const nothing = { model: '', input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: undefined }
    const wallMs = Math.round(at - row.wokeAt)
    const fact: UsageFact = { ...ownerFields(row), ...nothing, name: String(row.wokeAt), kind: 'compute', at, wallMs }
    if (this.#store.add(tx, fact)) this.#notify(tx, row)
  }

  #notify(tx: Tx, row: SessionRow, answeredAt?: number): void {
    const owner = { ...ownerFields(row), login: row.login, ...(answeredAt !== undefined && { answeredAt }) }
    this.#recorded.emit(tx, owner)
    const now = this.context.clock.now()
    if (now - this.#prunedAt < HOUR_MS) return
    this.#prunedAt = now
    this.#store.prune(tx, now)
  }
}

const ownerFields = (row: SessionRow) => ({
  sessionId: row.id,
  worker: displayNameOf(row),
  agent: row.kind === 'agent' ? row.template : '',
  rig: row.rig,
})

/** The start of the local day. */
export const midnight = (now: number): number => new Date(now).setHours(0, 0, 0, 0)

const NO_USAGE: UsageTotals = {
  ...{ invocations: 0, compute_facts: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 },
  ...{ cache_creation_tokens: 0, wall_seconds: 0, cost_usd_estimate: 0, unpriced: 0 },
}

const unavailable = (now: number): UsageBody => ({
  available: false,
  recording: false,
  source: 'unavailable',
  today: NO_USAGE,
  recent: NO_USAGE,
  recent_window_secs: RECENT_MS / 1000,
  updated_at: toTimestamp(now),
})
