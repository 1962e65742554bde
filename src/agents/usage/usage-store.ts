import type { Statement } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import type { Store, Tx } from '../../core/store.ts'
import type { FilePosition } from '../conversations/entries/log-reader.ts'
import type { UsageSessionRecent, UsageTotals } from './schema.ts'

/** What was used: an answer of a model, or a run of a session. */
export interface Fact {
  /** Names it among those of its session. */
  readonly name: string
  readonly at: number
  readonly kind: 'model' | 'compute'
  readonly sessionId: string
  /** What the session is called. */
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
}

interface Sum {
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

/** Whose usage is meant: the city's, a rig's or an agent's. */
export interface Part {
  readonly scope: 'city' | 'rig' | 'agent'
  readonly name: string
}

const MINUTE = 60_000
/** Sums are kept by the quarter of an hour: a day and an hour begin with one, in whatever time zone. */
export const QUARTER = 15 * MINUTE
const DAY = 24 * 60 * MINUTE
/** A log that is read again after longer may be counted again. */
const FACTS_KEPT = 35 * DAY
const SUMS_KEPT = 400 * DAY
/** So many old rows are let go at a time. */
const SLICE = 500

const COLUMNS = `sum(invocations) AS invocations, sum(computes) AS computes, sum(input) AS input, sum(output) AS output,
  sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(wall_ms) AS wallMs, sum(cost) AS cost,
  sum(unpriced) AS unpriced`
const OF_FACTS = COLUMNS.replace('sum(invocations)', "sum(kind = 'model')").replace(
  'sum(computes)',
  "sum(kind = 'compute')",
)
const PARTS: Record<Part['scope'], string> = { city: "'' = ?", rig: 'rig = ?', agent: 'agent = ?' }

/** Writes down what is used, each thing once, and adds it up as it comes: what a total costs does not follow history. */
export class Ledger {
  readonly #insert: Statement<unknown, (string | number)[]>
  readonly #add: Statement<unknown, (string | number)[]>
  readonly #sums: Statement<Sum, [number]>
  readonly #facts: Statement<Sum, [number, number]>
  readonly #oldest: Statement<{ at: number | null }, []>
  readonly #sessions: Statement<Sum & { sessionId: string; worker: string }, [number]>
  readonly #spent: Record<Part['scope'], Statement<{ tokens: number | null; cost: number | null }, [number, string]>>
  readonly #place: Statement<FilePosition, [string]>
  readonly #putPlace: Statement<unknown, [string, string, number]>
  readonly #prune: Statement<unknown, [number]>
  readonly #prunePlaces: Statement<unknown, []>
  readonly #pruneSums: Statement<unknown, [number]>

  constructor(store: Store) {
    this.#insert = store.prepare(`INSERT INTO usage_facts (key, at, kind, session_id, worker, agent, rig, model,
      input, output, cache_read, cache_write, wall_ms, cost, unpriced)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`)
    this.#add = store.prepare(`INSERT INTO usage_sums (at, rig, agent, invocations, computes, input, output, cache_read,
      cache_write, wall_ms, cost, unpriced) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (at, rig, agent) DO UPDATE SET invocations = invocations + excluded.invocations,
        computes = computes + excluded.computes, input = input + excluded.input, output = output + excluded.output,
        cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
        wall_ms = wall_ms + excluded.wall_ms, cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced`)
    this.#sums = store.prepare(`SELECT ${COLUMNS} FROM usage_sums WHERE at >= ?`)
    this.#facts = store.prepare(`SELECT ${OF_FACTS} FROM usage_facts WHERE at >= ? AND at < ?`)
    this.#oldest = store.prepare('SELECT min(at) AS at FROM usage_facts')
    this.#sessions = store.prepare(`SELECT session_id AS sessionId, worker, ${OF_FACTS}
      FROM usage_facts WHERE at >= ? AND kind = 'model' AND worker != '' GROUP BY session_id
      ORDER BY sum(input + output + cache_read + cache_write) DESC, session_id, worker LIMIT 24`)
    const spent = (part: string) =>
      store.prepare<{ tokens: number | null; cost: number | null }, [number, string]>(
        `SELECT sum(input + output + cache_read + cache_write) AS tokens, sum(cost) AS cost
         FROM usage_sums WHERE at >= ? AND ${part}`,
      )
    this.#spent = { city: spent(PARTS.city), rig: spent(PARTS.rig), agent: spent(PARTS.agent) }
    this.#place = store.prepare('SELECT file, offset FROM usage_places WHERE session_id = ?')
    this.#putPlace = store.prepare('INSERT OR REPLACE INTO usage_places (session_id, file, offset) VALUES (?, ?, ?)')
    const old = `at IN (SELECT at FROM usage_facts WHERE at < ? ORDER BY at LIMIT ${SLICE})`
    this.#prune = store.prepare(`DELETE FROM usage_facts WHERE ${old}`)
    this.#prunePlaces = store.prepare(`DELETE FROM usage_places WHERE session_id IN (
      SELECT session_id FROM usage_places LEFT JOIN sessions ON sessions.id = session_id
      WHERE sessions.id IS NULL OR closed_at IS NOT NULL LIMIT ${SLICE})`)
    this.#pruneSums = store.prepare('DELETE FROM usage_sums WHERE at < ?')
  }

  /** Writes down one thing; false when it was known. */
  add(tx: Tx, fact: Fact): boolean {
    void tx
    const { at, kind, rig, agent, input, output, cacheRead, cacheWrite, wallMs } = fact
    const tokens = [input, output, cacheRead, cacheWrite]
    const unpriced = kind === 'model' && fact.cost === undefined ? 1 : 0
    const rest = [wallMs, fact.cost ?? 0, unpriced]
    const whose = [fact.sessionId, fact.worker, agent, rig, fact.model]
    if (this.#insert.run(keyOf(fact), at, kind, ...whose, ...tokens, ...rest).changes === 0) return false
    const counts = kind === 'model' ? [1, 0] : [0, 1]
    this.#add.run(at - (at % QUARTER), rig, agent, ...counts, ...tokens, ...rest)
    return true
  }

  /** Up to where the log of a session was counted. */
  placeOf(session: string): FilePosition | undefined {
    return this.#place.get(session) ?? undefined
  }

  /** Remembers up to where the log of a session was counted. */
  putPlace(tx: Tx, session: string, { file, offset }: FilePosition): void {
    void tx
    this.#putPlace.run(session, file, offset)
  }

  /** Everything since a moment. */
  totals(from: number): UsageTotals {
    const quarter = Math.ceil(from / QUARTER) * QUARTER
    const late = this.#sums.get(quarter)
    const early = this.#facts.get(from, quarter)
    return toTotals(late, early)
  }

  /** What each session used since a moment, the most first. */
  bySession(from: number): UsageSessionRecent[] {
    return this.#sessions.all(from).map((row) => {
      const { invocations: _, compute_facts: __, wall_seconds: ___, ...used } = toTotals(row)
      return { session: row.worker, session_id: row.sessionId, ...used }
    })
  }

  /** What a part of the city used since a moment, which has to begin a quarter of an hour. */
  spent({ scope, name }: Part, from: number): { tokens: number; usd: number } {
    const row = this.#spent[scope].get(from, name)
    return { tokens: row?.tokens ?? 0, usd: row?.cost ?? 0 }
  }

  /** When the oldest thing known was. */
  get oldest(): number | undefined {
    return this.#oldest.get()?.at ?? undefined
  }

  /** Lets go of some of what is too old. */
  prune(tx: Tx, now: number): void {
    void tx
    this.#prune.run(now - FACTS_KEPT)
    this.#pruneSums.run(now - SUMS_KEPT)
    this.#prunePlaces.run()
  }
}

const keyOf = ({ sessionId, kind, name }: Fact): string =>
  createHash('sha256').update(`${sessionId}\0${kind}\0${name}`).digest('hex')

function toTotals(...sums: (Sum | null | undefined)[]): UsageTotals {
  const all = (of: keyof Sum): number => sums.reduce((total, sum) => total + (sum?.[of] ?? 0), 0)
  return {
    invocations: all('invocations'),
    compute_facts: all('computes'),
    input_tokens: all('input'),
    output_tokens: all('output'),
    cache_read_tokens: all('cacheRead'),
    cache_creation_tokens: all('cacheWrite'),
    wall_seconds: all('wallMs') / 1000,
    cost_usd_estimate: Math.round(all('cost') * 1e6) / 1e6,
    unpriced: all('unpriced'),
  }
}
