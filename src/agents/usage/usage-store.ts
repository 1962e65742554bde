import { sha256 } from '../../core/digest.ts'
import { command, type Query, query, type Store, type Tx } from '../../core/store/index.ts'
import { dayOf, UsageDays } from './days.ts'
import type { UsageSessionRecent, UsageTotals } from './schema.ts'

/** One use: a response of a model, or a run of a session. */
export interface UsageFact {
  /** Unique among the facts of its session. */
  readonly name: string
  /** The log entry of a response, which is the same in every copy of the log. */
  readonly entry?: string
  readonly at: number
  readonly kind: 'model' | 'compute'
  readonly sessionId: string
  /** The display name of the session. */
  readonly worker: string
  readonly agent: string
  readonly rig: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly wallMs: number
  /** Undefined when the price is not known. */
  readonly cost: number | undefined
  /** Maximum possible cost, if the price is unknown. */
  readonly assumed?: number
}

interface UsageSum {
  invocations: number
  computes: number
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  wallMs: number
  cost: number
  unpriced: number
}

/** Usage of a scope in a period: dollars at known prices, and the maximum cost of the rest. */
export interface Spent {
  readonly tokens: number
  readonly usd: number
  readonly assumed: number
}

interface SpentRow {
  tokens: number | null
  cost: number | null
  assumed: number | null
}

/** Scope of counted usage: the city, a rig or an agent. */
export interface UsageScope {
  readonly scope: 'city' | 'rig' | 'agent'
  readonly name: string
}

const MINUTE_MS = 60_000
/** Sums are kept by quarter hours, at which days and hours begin in every time zone. */
export const QUARTER_MS = 15 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/** A log that is read again after this time may be counted twice. */
const FACT_RETENTION_MS = 35 * DAY_MS
const SUM_RETENTION_MS = 400 * DAY_MS
const MAX_ROWS_PER_PRUNE = 500

const SUM_COLUMNS = `sum(invocations) AS invocations, sum(computes) AS computes, sum(input) AS input, sum(output) AS output,
  sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(wall_ms) AS wallMs, sum(cost) AS cost,
  sum(unpriced) AS unpriced`
const FACT_COLUMNS = SUM_COLUMNS.replace('sum(invocations)', "sum(kind = 'model')").replace(
  'sum(computes)',
  "sum(kind = 'compute')",
)

const OLD_ROWS = `at IN (SELECT at FROM usage_facts WHERE at < ? ORDER BY at LIMIT ${MAX_ROWS_PER_PRUNE})`

const INSERT = command<
  (string | number)[]
>(`INSERT INTO usage_facts (key, at, kind, session_id, worker, agent, rig, model,
      input, output, cache_read, cache_write, wall_ms, cost, unpriced, assumed, answer)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`)

const ADD = command<
  (string | number)[]
>(`INSERT INTO usage_sums (at, rig, agent, invocations, computes, input, output, cache_read,
      cache_write, wall_ms, cost, unpriced, assumed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (at, rig, agent) DO UPDATE SET invocations = invocations + excluded.invocations,
        computes = computes + excluded.computes, input = input + excluded.input, output = output + excluded.output,
        cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
        wall_ms = wall_ms + excluded.wall_ms, cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced,
        assumed = assumed + excluded.assumed`)

const GROW_FACT = command<(string | number)[]>(`UPDATE usage_facts SET input = input + ?, output = output + ?,
      cache_read = cache_read + ?, cache_write = cache_write + ?, wall_ms = wall_ms + ?, cost = cost + ?,
      assumed = assumed + ? WHERE key = ?`)

const SUMS = query<UsageSum, [number]>(`SELECT ${SUM_COLUMNS} FROM usage_sums WHERE at >= ?`)

const FACTS = query<UsageSum, [number, number]>(`SELECT ${FACT_COLUMNS} FROM usage_facts WHERE at >= ? AND at < ?`)

const OF_SESSION = query<UsageSum, [string, number, number]>(
  `SELECT ${FACT_COLUMNS} FROM usage_facts WHERE session_id = ? AND at >= ? AND at <= ? AND kind = 'model'`,
)

const OLDEST = query<{ at: number | null }>('SELECT min(at) AS at FROM usage_facts')

const SESSIONS = query<
  UsageSum & { sessionId: string; worker: string },
  [number]
>(`SELECT session_id AS sessionId, worker, ${FACT_COLUMNS}
      FROM usage_facts INDEXED BY usage_facts_at WHERE at >= ? AND kind = 'model' AND worker != '' GROUP BY session_id
      ORDER BY sum(input + output + cache_read + cache_write) DESC, session_id, worker LIMIT 24`)

const PRUNE_FACTS = command<[number]>(`DELETE FROM usage_facts WHERE ${OLD_ROWS}`)

const PRUNE_SUMS = command<[number]>('DELETE FROM usage_sums WHERE at < ?')

const STORED_AMOUNTS = query<
  StoredAmounts,
  [string]
>(`SELECT at, rig, agent, model, input, output, cache_read AS cacheRead,
      cache_write AS cacheWrite, wall_ms AS wallMs, cost, assumed FROM usage_facts WHERE key = ?`)

const ELSEWHERE = query<unknown, [string, string]>(
  "SELECT 1 FROM usage_facts WHERE answer = ? AND answer != '' AND session_id != ? LIMIT 1",
)

const spentIn = (condition: string) =>
  query<SpentRow, [number, string]>(
    `SELECT sum(input + output + cache_read + cache_write) AS tokens, sum(cost) AS cost, sum(assumed) AS assumed
     FROM usage_sums WHERE at >= ? AND ${condition}`,
  )

const SPENT: Readonly<Record<UsageScope['scope'], Query<SpentRow, [number, string]>>> = {
  city: spentIn("'' = ?"),
  rig: spentIn('rig = ?'),
  agent: spentIn('agent = ?'),
}

/** Stores usage, each fact once, and maintains its sums, so that the time a total takes does not depend on history. */
export class UsageStore {
  readonly days: UsageDays

  constructor(private readonly store: Store) {
    this.days = new UsageDays(store)
  }

  /** Stores a fact, or how much it has grown; false when it was stored before unchanged, also for another session. */
  add(tx: Tx, fact: UsageFact): boolean {
    const { at, kind, rig, agent } = fact
    const answer = answerOf(fact)
    if (answer !== '' && tx.get(ELSEWHERE, answer, fact.sessionId)) return false
    const unpriced = kind === 'model' && fact.cost === undefined ? 1 : 0
    const amounts = amountsOf(fact)
    const owner = [fact.sessionId, fact.worker, agent, rig, fact.model]
    const [wallMs, cost, assumed] = [amounts.wallMs, amounts.cost, amounts.assumed]
    const tokens = [amounts.input, amounts.output, amounts.cacheRead, amounts.cacheWrite]
    const inserted = tx.run(INSERT, keyOf(fact), at, kind, ...owner, ...tokens, wallMs, cost, unpriced, assumed, answer)
    if (inserted.changes === 0) return this.#grow(tx, fact, amounts)
    const counts = kind === 'model' ? [1, 0] : [0, 1]
    tx.run(ADD, quarterOf(at), rig, agent, ...counts, ...tokens, wallMs, cost, unpriced, assumed)
    if (kind === 'model') this.#addToDay(tx, fact, amounts, { invocations: 1, unpriced })
    return true
  }

  /** Counts what a response used since it was stored; one never uses less than before. */
  #grow(tx: Tx, fact: UsageFact, amounts: Amounts): boolean {
    const key = keyOf(fact)
    const before = tx.get(STORED_AMOUNTS, key)
    if (!before || fact.kind !== 'model') return false
    const more = AMOUNTS.map((name) => Math.max(0, amounts[name] - before[name]))
    if (more.every((amount) => amount === 0)) return false
    const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, wallMs = 0, cost = 0, assumed = 0] = more
    tx.run(GROW_FACT, ...more, key)
    const { at, rig, agent } = before
    tx.run(ADD, quarterOf(at), rig, agent, 0, 0, input, output, cacheRead, cacheWrite, wallMs, cost, 0, assumed)
    this.#addToDay(tx, before, { input, output, cacheRead, cacheWrite, cost }, { invocations: 0, unpriced: 0 })
    return true
  }

  #addToDay(
    tx: Tx,
    { at, rig, agent, model }: Pick<UsageFact, 'at' | 'rig' | 'agent' | 'model'>,
    { input, output, cacheRead, cacheWrite, cost }: Omit<Amounts, 'wallMs' | 'assumed'>,
    counts: { invocations: number; unpriced: number },
  ): void {
    const tokens = input + output + cacheRead + cacheWrite
    this.days.add(tx, { day: dayOf(at), rig, agent, model, tokens, cost, ...counts })
  }

  /** All usage since a time. */
  totals(from: number): UsageTotals {
    const firstQuarter = Math.ceil(from / QUARTER_MS) * QUARTER_MS
    return toTotals(this.store.get(SUMS, firstQuarter), this.store.get(FACTS, from, firstQuarter))
  }

  /** The usage of each session since a time, largest first. */
  bySession(from: number): UsageSessionRecent[] {
    return this.store.all(SESSIONS, from).map((row) => {
      const { invocations: _, compute_facts: __, wall_seconds: ___, ...totals } = toTotals(row)
      return { session: row.worker, session_id: row.sessionId, ...totals }
    })
  }

  /** Usage of a session from one time to another. */
  ofSession(session: string, from: number, to: number): UsageTotals {
    return toTotals(this.store.get(OF_SESSION, session, from, to))
  }

  /** The usage of a scope since a time, which must be the start of a quarter hour. */
  spent({ scope, name }: UsageScope, from: number): Spent {
    const row = this.store.get(SPENT[scope], from, name)
    return { tokens: row?.tokens ?? 0, usd: row?.cost ?? 0, assumed: row?.assumed ?? 0 }
  }

  /** The time of the oldest fact. */
  get oldest(): number | undefined {
    return this.store.get(OLDEST)?.at ?? undefined
  }

  /** Deletes some of the rows that are too old. */
  prune(tx: Tx, now: number): void {
    tx.run(PRUNE_FACTS, now - FACT_RETENTION_MS)
    tx.run(PRUNE_SUMS, now - SUM_RETENTION_MS)
    this.days.prune(tx, dayOf(now - SUM_RETENTION_MS))
  }
}

const AMOUNTS = ['input', 'output', 'cacheRead', 'cacheWrite', 'wallMs', 'cost', 'assumed'] as const
type Amounts = Record<(typeof AMOUNTS)[number], number>
type StoredAmounts = Amounts & Pick<UsageFact, 'at' | 'rig' | 'agent' | 'model'>

const amountsOf = ({ input, output, cacheRead, cacheWrite, wallMs, cost = 0, assumed = 0 }: UsageFact): Amounts => ({
  ...{ input, output, cacheRead, cacheWrite, wallMs, cost, assumed },
})

const quarterOf = (at: number): number => at - (at % QUARTER_MS)

const answerOf = ({ name, entry }: UsageFact): string =>
  entry === undefined ? '' : sha256(`${name}\0${entry}`).slice(0, 32)

const keyOf = ({ sessionId, kind, name }: UsageFact): string => sha256(`${sessionId}\0${kind}\0${name}`)

function toTotals(...sums: (UsageSum | null | undefined)[]): UsageTotals {
  const total = (column: keyof UsageSum): number => sums.reduce((value, sum) => value + (sum?.[column] ?? 0), 0)
  return {
    invocations: total('invocations'),
    compute_facts: total('computes'),
    input_tokens: total('input'),
    output_tokens: total('output'),
    cache_read_tokens: total('cacheRead'),
    cache_creation_tokens: total('cacheWrite'),
    wall_seconds: total('wallMs') / 1000,
    cost_usd_estimate: Math.round(total('cost') * 1e6) / 1e6,
    unpriced: total('unpriced'),
  }
}
