import type { AgentConfig } from '../../../config/agents/index.ts'
import { agentNamed, type CityConfig } from '../../../config/city/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { AppError } from '../../../core/errors.ts'
import { Signal } from '../../../core/signal.ts'
import { command, query, type Tx } from '../../../core/store/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { OKResponseBody } from '../../../http/schema.ts'
import type { Mail } from '../../../work/mail/index.ts'
import { BudgetChanged, BudgetExhausted, BudgetRemoved, BudgetsStrict, BudgetWarned } from '../../events.ts'
import type { Budget, BudgetKey, BudgetList, BudgetSet } from '../../schema.ts'
import type { Usage, UsageOwner } from '../../usage/usage.ts'
import type { Metering } from './metering.ts'
import { levelOf, periodOf } from './period.ts'
import type { Strictness } from './strictness.ts'
import type { BudgetRow } from './table.ts'

type KeyParameters = [string, string, string, string]

const ALL = query<BudgetRow>(`SELECT scope, name, unit, per, most AS "limit", told_period AS notifiedPeriod,
        told_level AS notifiedLevel
      FROM budgets ORDER BY scope = 'agent', scope = 'rig', name, unit, per`)

const UPSERT = command<
  [...KeyParameters, number]
>(`INSERT INTO budgets (scope, name, unit, per, most) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (scope, name, unit, per) DO UPDATE SET most = excluded.most, told_level = 0`)

const DELETE = command<KeyParameters>('DELETE FROM budgets WHERE scope = ? AND name = ? AND unit = ? AND per = ?')

const SET_NOTIFIED = command<[number, number, ...KeyParameters]>(`UPDATE budgets SET told_period = ?, told_level = ?
      WHERE scope = ? AND name = ? AND unit = ? AND per = ?`)

/**
 * Limits how much a city, its rigs and its agents may use. Once a budget is used up, what runs under it finishes its
 * present turn, and no one gets another until its next period.
 */
export class Budgets {
  readonly #changed = new Signal()
  /** The budgets as last computed; discarded after each change and each new use. */
  #cache: { at: number; budgets: Budget[] } | undefined
  /** Start of the first period in which an exhausted budget has room again. */
  #nextPeriod: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: { readonly current: CityConfig }
      usage: Pick<Usage, 'spent' | 'onUsage'>
      metering: Pick<Metering, 'isUnknown' | 'onChange'>
      strictness: Pick<Strictness, 'isStrict' | 'set'>
      mail: Pick<Mail, 'notifyPeople'>
    },
  ) {
    const { usage, metering } = peers
    usage.onUsage((tx, owner) => this.#check(tx, owner))
    metering.onChange(() => this.#notify())
  }

  list(): BudgetList {
    const items = this.#read()
    const uncounted = this.uncounted().map(({ agent: { qualified, dir } }) => ({
      agent: qualified,
      ...(dir && { rig: dir }),
    }))
    return { items, total: items.length, strict: this.isStrict, uncounted }
  }

  /** True if an agent gets no turn under a budget while what it uses is unknown. */
  get isStrict(): boolean {
    return this.peers.strictness.isStrict
  }

  /** Gives no turn from now on to agents whose use is unknown; those that have one finish it. */
  async makeStrict(caller: Caller): Promise<BudgetList> {
    const { store, log } = this.context
    const { strictness } = this.peers
    return store.write((tx) => {
      if (strictness.set(tx)) {
        log.append(tx, BudgetsStrict, {}, {})
        this.#invalidate(tx)
      }
      return { ...this.list(), strict: true }
    }, actorOf(caller))
  }

  set(caller: Caller, body: BudgetSet): Promise<Budget> {
    const name = this.#nameOf(body)
    const { scope, unit, per, limit } = body
    return this.context.store.write((tx) => {
      const before = this.#find({ ...body, name })
      if (before?.limit !== limit) {
        tx.run(UPSERT, scope, name, unit, per, limit)
        this.context.log.append(tx, BudgetChanged, {}, { ...body, ...(name && { name }) })
      }
      this.#invalidate(tx)
      const now = this.#get({ ...body, name })
      this.#notifyIfReached(tx, now)
      return this.#toBudget(now)
    }, actorOf(caller))
  }

  remove(caller: Caller, key: BudgetKey): Promise<OKResponseBody> {
    const { scope, name = '', unit, per } = key
    return this.context.store.write((tx) => {
      const row = this.#find({ ...key, name })
      if (!row) return { status: 'removed' }
      tx.run(DELETE, scope, name, unit, per)
      const payload = { scope, unit, per, limit: row.limit, ...(name && { name }) }
      this.context.log.append(tx, BudgetRemoved, {}, payload)
      this.#invalidate(tx)
      return { status: 'removed' }
    }, actorOf(caller))
  }

  /** The budgets that are used up. */
  exhausted(): Budget[] {
    return this.current().filter(({ state }) => state === 'exhausted')
  }

  stop(): void {
    this.#nextPeriod?.cancel()
    this.#changed.clear()
  }

  /** The agents under a budget whose use is unknown, each with one of its budgets; suspended ones ask for nothing. */
  uncounted(): { agent: AgentConfig; budget: Budget }[] {
    const { config, metering } = this.peers
    return config.current.agents.flatMap((agent) => {
      const budget = this.current().find((each) => covers(each, agent.qualified, agent.dir ?? ''))
      return budget && !agent.suspended && metering.isUnknown(agent) ? [{ agent, budget }] : []
    })
  }

  /** True if `blocks` may give a reason for some agent. */
  get mayBlock(): boolean {
    const all = this.current()
    return all.some(({ state }) => state === 'exhausted') || (all.length > 0 && this.isStrict)
  }

  /**
   * Reason an agent gets no other turn: one of its budgets is used up, or is strict and what it uses is unknown.
   * Without a name, one of the city's.
   */
  blocks({ qualified, dir }: { qualified: string; dir?: string }): string | undefined {
    const all = this.current()
    if (all.length === 0) return undefined
    const budgets = all.filter((budget) => covers(budget, qualified, dir ?? ''))
    const [budget] = budgets
    if (!budget) return undefined
    const exhausted = budgets.find(({ state }) => state === 'exhausted')
    if (exhausted) return `${describeBudget(exhausted)} is used up until ${exhausted.period_end}; raise it, or wait`
    const agent = agentNamed(this.peers.config.current, qualified)
    if (!agent || !this.isStrict || !this.peers.metering.isUnknown(agent)) return undefined
    return `${describeUncounted(budget)}; ${COSTS_NOTHING}`
  }

  /** Calls the listener when a budget was set, removed or used. */
  readonly onChange = this.#changed.listen

  /** The budgets with their current usage; they are computed again once a period has ended. */
  current(): readonly Budget[] {
    const now = this.context.clock.now()
    const cached = this.#cache
    if (cached && now >= cached.at && cached.budgets.every(({ period_end }) => now < Date.parse(period_end))) {
      return cached.budgets
    }
    const budgets = this.#read()
    this.#cache = { at: now, budgets }
    this.#scheduleNextPeriod(budgets)
    return budgets
  }

  #scheduleNextPeriod(budgets: readonly Budget[]): void {
    this.#nextPeriod?.cancel()
    const ends = budgets.filter(({ state }) => state === 'exhausted').map(({ period_end }) => Date.parse(period_end))
    if (ends.length === 0) return
    this.#nextPeriod = this.context.deadlines.at(Math.min(...ends), () => this.#notify())
  }

  /** Notifies people once per period that a budget is mostly used, and once that it is exhausted. */
  #check(tx: Tx, { agent, rig }: UsageOwner): void {
    for (const row of this.context.store.all(ALL)) if (covers(row, agent, rig)) this.#notifyIfReached(tx, row)
    this.#invalidate(tx)
  }

  #notifyIfReached(tx: Tx, row: BudgetRow): void {
    const budget = this.#toBudget(row)
    const start = Date.parse(budget.period_start)
    const level = levelOf(budget.spent, budget.limit)
    const notifiedLevel = row.notifiedPeriod === start ? row.notifiedLevel : 0
    if (level <= notifiedLevel) return
    tx.run(SET_NOTIFIED, start, level, row.scope, row.name, row.unit, row.per)
    this.context.log.append(tx, level === 100 ? BudgetExhausted : BudgetWarned, {}, budget)
    const status = level === 100 ? 'is used up' : 'is 80 % used'
    const consequence =
      level === 100
        ? `Running sessions finish their turn. No new turns start until ${budget.period_end}. \`gc budget set\` raises the budget.`
        : `Once it is used up, no new turns start until ${budget.period_end}.`
    this.peers.mail.notifyPeople(tx, `${describeBudget(budget)} ${status}`, `${describeUse(budget)} ${consequence}`)
  }

  #toBudget({ scope, name, unit, per, limit }: BudgetRow): Budget {
    const { start, end } = periodOf(per, this.context.clock.now())
    const { tokens, usd, assumed } = this.peers.usage.spent({ scope, name }, start)
    const spent = unit === 'usd' ? toMicros(usd + assumed) : tokens
    const level = levelOf(spent, limit)
    return {
      ...{ scope, unit, per, limit, spent, ...(name && { name }) },
      ...(spent > limit && { overshoot: unit === 'usd' ? toMicros(spent - limit) : spent - limit }),
      ...(unit === 'usd' && assumed > 0 && { assumed: toMicros(assumed) }),
      state: level === 100 ? 'exhausted' : level === 80 ? 'warned' : 'ok',
      period_start: toTimestamp(start),
      period_end: toTimestamp(end),
    }
  }

  #read(): Budget[] {
    return this.context.store.all(ALL).map((row) => this.#toBudget(row))
  }

  #find({ scope, name = '', unit, per }: BudgetKey): BudgetRow | undefined {
    return this.context.store
      .all(ALL)
      .find((row) => row.scope === scope && row.name === name && row.unit === unit && row.per === per)
  }

  #get(key: BudgetKey): BudgetRow {
    const row = this.#find(key)
    if (!row) throw new Error('the budget that was just set is not there')
    return row
  }

  #nameOf({ scope, name = '' }: BudgetSet): string {
    const { rigs, agents } = this.peers.config.current
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

  #invalidate(tx: Tx): void {
    this.#cache = undefined
    tx.after(() => {
      this.#cache = undefined
      this.#notify()
    })
  }

  #notify(): void {
    this.#changed.emit()
  }
}

const covers = ({ scope, name }: { scope: string; name?: string }, agent: string, rig: string): boolean =>
  scope === 'city' || name === (scope === 'rig' ? rig : agent)

/** A budget in words. */
export const describeBudget = ({ scope, name, unit, per }: BudgetKey): string =>
  `the budget of ${scope === 'city' ? 'the city' : `${scope} ${name}`} in ${unit === 'usd' ? 'dollars' : 'tokens'} ${per === 'hour' ? 'an' : 'a'} ${per}`

/** Message that a budget cannot count the usage of an agent. */
export const describeUncounted = (budget: Budget): string =>
  `its program does not report what it uses, which ${describeBudget(budget)} has to count`

/** Fix for an agent whose usage cannot be counted. */
export const COSTS_NOTHING = 'declare cost = "none" on the agent if it costs nothing, or remove the budget'

/** Usage of a budget, with its uncertain part. */
export function describeUse({ spent, limit, unit, overshoot, assumed }: Budget): string {
  const over = overshoot === undefined ? '' : `, ${formatAmount(overshoot, unit)} more than it allows`
  const used = `${formatAmount(spent, unit)} of ${formatAmount(limit, unit)} are used${over}.`
  if (assumed === undefined) return used
  const rule = 'as answers of models whose price is not known, counted at the highest price that is'
  return `${used} ${formatAmount(assumed, unit)} of that are assumed ${rule}; declare it in [[pricing]] of city.toml.`
}

const toMicros = (usd: number): number => Math.round(usd * 1e6) / 1e6

const formatAmount = (value: number, unit: 'tokens' | 'usd'): string =>
  unit === 'usd' ? `$${value.toFixed(2)}` : `${Math.round(value).toLocaleString('en')} tokens`
