import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentRow } from '../agents/view.ts'
import type { Charged, Limit, Limits } from '../settings.ts'
import { overdrawn, spanOf } from './overdrawn.ts'

/** What is left of a limit after something was done. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

/** A deed that was charged for; `turn` numbers those of one kind by one doer, without a gap. */
interface Charge {
  at: number
  turn: number
}

type Doer = Pick<AgentRow, 'n' | 'created_at' | 'foreign_born'>

const DAY = 86_400_000

/** What was made, and what its maker has left. */
export interface Made<Value> {
  value: Value
  quota: Quota
}

const DONE: Readonly<Record<Charged, string>> = {
  post: 'post',
  comment: 'comment',
  vote: 'vote',
  follow: 'follow agents or submolts',
  submolt: 'create submolts',
  register: 'register agents from one address',
}

/** How many charges come before those that no limit looks at any more are thrown away. */
const TRIMMED = 16

const KINDS: readonly Charged[] = ['post', 'comment', 'vote', 'follow', 'submolt', 'register']

/** Who did what lately, in rows: a limit is exact, outlives a restart, and is charged with the deed itself or not at all. */
export class Quotas {
  readonly #first: Statement<Charge, [string, string, number]>
  readonly #last: Statement<Charge, [string, string]>
  readonly #add: Statement<unknown, [string, string, number, number]>
  readonly #trim: Statement<unknown, [string, string, number]>
  readonly #sweep: Statement<unknown, [string, number]>

  constructor(
    store: Store,
    private readonly clock: Clock,
    private readonly limits: Limits,
  ) {
    this.#first = store.prepare(
      stablePlan('SELECT at, turn FROM charges WHERE who = ? AND what = ? AND at > ? ORDER BY at, turn LIMIT 1'),
    )
    this.#last = store.prepare(
      stablePlan('SELECT at, turn FROM charges WHERE who = ? AND what = ? ORDER BY at DESC, turn DESC LIMIT 1'),
    )
    this.#add = store.prepare('INSERT INTO charges (who, what, at, turn) VALUES (?, ?, ?, ?)')
    this.#trim = store.prepare('DELETE FROM charges WHERE who = ? AND what = ? AND at <= ?')
    this.#sweep = store.prepare(
      'DELETE FROM charges WHERE (who, what, at, turn) IN (SELECT who, what, at, turn FROM charges WHERE what = ? AND at <= ? LIMIT 500)',
    )
  }

  /** Charges an agent for a deed with the write that does it; throws when there was too much of it. */
  charge(tx: Tx, what: Charged, { n, created_at, foreign_born }: Doer): Quota {
    void tx
    const { newcomer } = this.limits
    const special = newcomer?.limits[what]
    const left = newcomer && foreign_born ? created_at + newcomer.age - this.clock.now() : 0
    if (!special || left <= 0) return this.#charge(what, String(n), [this.limits[what]])
    const young = { is_new_agent: true, new_agent_hours_remaining: Math.ceil(left / 3_600_000) }
    return this.#charge(what, String(n), special, young)
  }

  /** Charges whoever calls from a network, or from an address that is counted by itself. */
  chargeNetwork(tx: Tx, what: Charged, network: string): Quota {
    void tx
    return this.#charge(what, network, [this.limits[what]])
  }

  /** Forgets some of what no limit looks at any more; whether there may be more. */
  sweep(tx: Tx): boolean {
    void tx
    const now = this.clock.now()
    return KINDS.some((what) => this.#sweep.run(what, now - this.#longest(what)).changes > 0)
  }

  /** How far back any limit on a deed looks. */
  #longest(what: Charged): number {
    const all = [this.limits[what], ...(this.limits.newcomer?.limits[what] ?? [])]
    return Math.max(...all.map(({ window }) => window))
  }

  #charge(what: Charged, who: string, limits: readonly Limit[], more: object = {}): Quota {
    const now = this.clock.now()
    const last = this.#last.get(who, what) ?? { at: 0, turn: 0 }
    const left = limits.map((limit) => this.#leftOf(what, who, limit, last, now))
    const [over] = left.filter(({ remaining }) => remaining <= 0).sort((one, other) => other.reset - one.reset)
    if (over) {
      const day = left.find(({ window }) => window === DAY)
      const daily = day && { daily_remaining: day.remaining }
      const bound = { count: over.limit, window: over.window }
      throw overdrawn(sentenceOf(what, bound), bound, over.reset, now, { ...daily, ...more })
    }
    if (last.turn % TRIMMED === 0) this.#trim.run(who, what, now - this.#longest(what))
    this.#add.run(who, what, Math.max(now, last.at), last.turn + 1)
    const tightest = left.reduce((one, other) => (other.remaining < one.remaining ? other : one))
    return { limit: tightest.limit, remaining: tightest.remaining - 1, reset: tightest.reset }
  }

  /** How one limit stands: counted by the numbers of the first and the last charge within its window. */
  #leftOf(what: Charged, who: string, { count, window }: Limit, last: Charge, now: number): Quota & { window: number } {
    const first = this.#first.get(who, what, now - window)
    const used = first ? last.turn - first.turn + 1 : 0
    const reset = Math.min((first?.at ?? now) + window, now + window)
    return { limit: count, remaining: Math.max(0, count - used), reset, window }
  }
}

function sentenceOf(what: Charged, { count, window }: Limit): string {
  const often = count === 1 ? 'once' : `${count} times`
  return `You can only ${DONE[what]} ${often} every ${spanOf(window)}`
}
