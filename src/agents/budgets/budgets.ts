import type { Statement } from 'bun:sqlite'
import type { CityConfig } from '../../config/city-config.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Spender, Usage } from '../usage/usage.ts'
import { BudgetChanged, BudgetExhausted, BudgetRemoved, BudgetWarned } from './events.ts'
import { levelOf, periodOf } from './period.ts'
import type { Budget, BudgetKey, BudgetList, BudgetSet } from './schema.ts'

export interface BudgetNeeds {
  store: Store
  log: EventLog
  clock: Clock
  config: { readonly current: CityConfig }
  usage: Usage
  /** Writes to the people of the city. */
  tell(tx: Tx, subject: string, body: string): void
}

interface Row {
  scope: Budget['scope']
  name: string
  unit: Budget['unit']
  per: Budget['per']
  most: number
  toldPeriod: number
  toldLevel: number
}

type Key = [string, string, string, string]

/** How much a city, its rigs and its agents may use. Whoever used up a budget is not started until it begins anew. */
export class Budgets {
  readonly #all: Statement<Row, []>
  readonly #put: Statement<unknown, [...Key, number]>
  readonly #drop: Statement<unknown, Key>
  readonly #told: Statement<unknown, [number, number, ...Key]>
  readonly #listeners = new Set<() => void>()
  /** The budgets as they stand; read anew after each change and each new use. */
  #known: { at: number; budgets: Budget[] } | undefined

  constructor(private readonly needs: BudgetNeeds) {
    const { store, usage } = needs
    this.#all = store.prepare(`SELECT scope, name, unit, per, most, told_period AS toldPeriod, told_level AS toldLevel
      FROM budgets ORDER BY scope = 'agent', scope = 'rig', name, unit, per`)
    this.#put = store.prepare(`INSERT INTO budgets (scope, name, unit, per, most) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (scope, name, unit, per) DO UPDATE SET most = excluded.most, told_level = 0`)
    this.#drop = store.prepare('DELETE FROM budgets WHERE scope = ? AND name = ? AND unit = ? AND per = ?')
    this.#told = store.prepare(`UPDATE budgets SET told_period = ?, told_level = ?
      WHERE scope = ? AND name = ? AND unit = ? AND per = ?`)
    usage.onSpent((tx, spender) => this.#check(tx, spender))
  }

  list(): BudgetList {
    const items = this.#all.all().map((row) => this.#toBudget(row))
    return { items, total: items.length }
  }

  set(caller: Caller, body: BudgetSet): Promise<Budget> {
    this.#refuseSession(caller)
    const name = this.#nameOf(body)
    const { scope, unit, per, limit } = body
    return this.needs.store.write((tx) => {
      const before = this.#find({ ...body, name })
      if (before?.most !== limit) {
        this.#put.run(scope, name, unit, per, limit)
        this.needs.log.append(tx, BudgetChanged, { actor: actorOf(caller) }, { ...body, ...(name && { name }) })
      }
      this.#changed(tx)
      const now = this.#need({ ...body, name })
      this.#tellOf(tx, now)
      return this.#toBudget(now)
    })
  }

  remove(caller: Caller, key: BudgetKey): Promise<OKResponseBody> {
    this.#refuseSession(caller)
    const { scope, name = '', unit, per } = key
    return this.needs.store.write((tx) => {
      const row = this.#find({ ...key, name })
      if (!row) return { status: 'removed' }
      this.#drop.run(scope, name, unit, per)
      const payload = { scope, unit, per, limit: row.most, ...(name && { name }) }
      this.needs.log.append(tx, BudgetRemoved, { actor: actorOf(caller) }, payload)
      this.#changed(tx)
      return { status: 'removed' }
    })
  }

  /** Why an agent may not be started just now: a budget it is under is used up. */
  blocks({ qualified, dir }: { qualified: string; dir?: string }): string | undefined {
    const used = this.#current().find((budget) => budget.state === 'exhausted' && covers(budget, qualified, dir ?? ''))
    return used && `${titleOf(used)} is used up until ${used.period_end}; raise it, or wait`
  }

  /** Hears when a budget was set, removed, or used. */
  onChange(hear: () => void): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  /** Budgets as they stand; a period that is over counts for nothing. */
  #current(): readonly Budget[] {
    const now = this.needs.clock.now()
    const known = this.#known
    if (known && now >= known.at && known.budgets.every(({ period_end }) => now < Date.parse(period_end))) {
      return known.budgets
    }
    const budgets = this.list().items
    this.#known = { at: now, budgets }
    return budgets
  }

  /** Tells people once in a period that a budget is mostly used, and once that it is used up. */
  #check(tx: Tx, { agent, rig }: Spender): void {
    for (const row of this.#all.all()) if (covers(row, agent, rig)) this.#tellOf(tx, row)
    this.#changed(tx)
  }

  #tellOf(tx: Tx, row: Row): void {
    const budget = this.#toBudget(row)
    const start = Date.parse(budget.period_start)
    const level = levelOf(budget.spent, budget.limit)
    const told = row.toldPeriod === start ? row.toldLevel : 0
    if (level <= told) return
    this.#told.run(start, level, row.scope, row.name, row.unit, row.per)
    this.needs.log.append(tx, level === 100 ? BudgetExhausted : BudgetWarned, { actor: 'gc' }, budget)
    const what = level === 100 ? 'is used up' : 'is 80 % used'
    const then =
      level === 100
        ? `Nothing more is started for it until ${budget.period_end}. What runs goes on. \`gc budget set\` raises it.`
        : `When all of it is used, nothing more is started for it until ${budget.period_end}.`
    const spent = `${amount(budget.spent, budget.unit)} of ${amount(budget.limit, budget.unit)} are used.`
    this.needs.tell(tx, `${titleOf(budget)} ${what}`, `${spent} ${then}`)
  }

  #toBudget({ scope, name, unit, per, most }: Row): Budget {
    const { start, end } = periodOf(per, this.needs.clock.now())
    const { tokens, usd } = this.needs.usage.spent({ scope, name }, start)
    const spent = unit === 'usd' ? Math.round(usd * 1e6) / 1e6 : tokens
    const level = levelOf(spent, most)
    return {
      ...{ scope, unit, per, limit: most, spent, ...(name && { name }) },
      state: level === 100 ? 'exhausted' : level === 80 ? 'warned' : 'ok',
      period_start: toTimestamp(start),
      period_end: toTimestamp(end),
    }
  }

  #find({ scope, name = '', unit, per }: BudgetKey): Row | undefined {
    return this.#all
      .all()
      .find((row) => row.scope === scope && row.name === name && row.unit === unit && row.per === per)
  }

  #need(key: BudgetKey): Row {
    const row = this.#find(key)
    if (!row) throw new Error('the budget that was just set is not there')
    return row
  }

  #nameOf({ scope, name = '' }: BudgetSet): string {
    const { rigs, agents } = this.needs.config.current
    if (scope === 'city') {
      if (name === '') return ''
      throw new AppError('invalid-request', 'a budget of the city has no name; leave it out')
    }
    if (scope === 'rig') {
      if (rigs.some((rig) => rig.name === name)) return name
      throw new AppError('rig-not-found', `rig ${name} is not declared; \`gc rig list\` shows those that are`)
    }
    if (agents.some(({ qualified }) => qualified === name)) return name
    throw new AppError('agent-not-found', `agent ${name} is not declared; give its qualified name, such as rig/worker`)
  }

  #refuseSession(caller: Caller): void {
    if (caller.kind !== 'session' || caller.may.includes('budgets')) return
    throw new AppError(
      'forbidden',
      'forbidden: a session may not change budgets unless its agent may (`may = ["budgets"]`)',
    )
  }

  #changed(tx: Tx): void {
    this.#known = undefined
    tx.after(() => {
      this.#known = undefined
      for (const hear of this.#listeners) hear()
    })
  }
}

const covers = ({ scope, name }: { scope: string; name?: string }, agent: string, rig: string): boolean =>
  scope === 'city' || name === (scope === 'rig' ? rig : agent)

const actorOf = (caller: Caller): string => (caller.kind === 'session' ? caller.session : 'human')

const titleOf = ({ scope, name, unit, per }: BudgetKey): string =>
  `the budget of ${scope === 'city' ? 'the city' : `${scope} ${name}`} in ${unit === 'usd' ? 'dollars' : 'tokens'} ${per === 'hour' ? 'an' : 'a'} ${per}`

const amount = (value: number, unit: 'tokens' | 'usd'): string =>
  unit === 'usd' ? `$${value.toFixed(2)}` : `${Math.round(value).toLocaleString('en')} tokens`
