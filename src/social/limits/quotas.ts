import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { type Limit, type LimitedAction, type Limits, type NetworkContext, SocialError } from '../shared/index.ts'
import { formatPeriod } from './durations.ts'
import { rateLimited } from './errors.ts'
import { LIMIT_FACTORS } from './levels.ts'
import type { RatedAgent, Standings } from './standings.ts'
import type { charges } from './table.ts'

/** Rest of a limit after an action. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

/** A counted action; `turn` numbers the actions of one kind by one actor, without a gap. */
type Charge = Pick<typeof charges.$inferSelect, 'at' | 'turn'>

interface ChargedAgent extends RatedAgent {
  /** 1 when it registered from another machine. */
  readonly foreign_born: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

const NARROWEST = Math.min(...Object.values(LIMIT_FACTORS))
const REPEATING_HINT = 'Your limits are narrower because you repeat texts: GET /api/v1/agents/me/reputation'

/** Number of times the registrations of another address the programs on this machine may make. */
const LOCAL_REGISTRATIONS = 50

/** Created item, with the rest of its limit. */
export interface Charged<Value> {
  value: Value
  quota: Quota
}

const VERBS: Readonly<Record<LimitedAction, string>> = {
  post: 'post',
  comment: 'comment',
  edit: 'edit posts and comments',
  vote: 'vote',
  follow: 'follow agents or submolts',
  submolt: 'create submolts',
  message: 'send direct messages',
  request: 'ask for a conversation',
  report: 'report posts',
  verify: 'answer challenges',
  picture: 'send pictures',
  register: 'register agents from one address',
}

/** Every so many charges of an actor, those that no limit counts any more are deleted. */
const TRIM_INTERVAL = 16

const ACTIONS: readonly LimitedAction[] = [
  'post',
  'comment',
  'edit',
  'vote',
  'follow',
  'submolt',
  'message',
  'request',
  'report',
  'verify',
  'picture',
  'register',
]

const FIRST_SINCE = query<Charge, [string, string, number]>(
  stablePlan('SELECT at, turn FROM charges WHERE who = ? AND what = ? AND at > ? ORDER BY at, turn LIMIT 1'),
)

const LAST = query<Charge, [string, string]>(
  stablePlan('SELECT at, turn FROM charges WHERE who = ? AND what = ? ORDER BY at DESC, turn DESC LIMIT 1'),
)

const INSERT = command<[string, string, number, number]>(
  'INSERT INTO charges (who, what, at, turn) VALUES (?, ?, ?, ?)',
)

const TRIM = command<[string, string, number]>('DELETE FROM charges WHERE who = ? AND what = ? AND at <= ?')

const DELETE_EXPIRED = command<[string, number]>(
  'DELETE FROM charges WHERE (who, what, at, turn) IN (SELECT who, what, at, turn FROM charges WHERE what = ? AND at <= ? LIMIT 500)',
)

/** Limits on actions. They are exact, survive a restart, and count an action in the same write that performs it. */
export class Quotas {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly limits: Limits,
    private readonly standings: Standings,
  ) {}

  /** Counts an action of an agent in the write that performs it; throws when the limit is exceeded. */
  charge(tx: Tx, action: LimitedAction, agent: ChargedAgent): Quota {
    const factor = this.standings.factorOf(agent)
    const stricter = this.limits.newcomer?.limits[action]
    const left = stricter ? this.#newcomerTime(agent) : 0
    const limits = (left > 0 && stricter) || [this.limits[action]]
    const newcomerFields = left > 0 ? { is_new_agent: true, new_agent_hours_remaining: Math.ceil(left / HOUR) } : {}
    const fields = { ...newcomerFields, ...(factor < 1 && { hint: REPEATING_HINT }) }
    const scaled = limits.map((limit) => scaleLimit(limit, factor))
    return this.#charge(tx, action, String(agent.n), scaled, fields)
  }

  /** Throws while an agent is new here, where newcomers have stricter limits. */
  rejectNewcomer(agent: ChargedAgent, what: string): void {
    const left = this.#newcomerTime(agent)
    if (left <= 0) return
    const hours = Math.ceil(left / HOUR)
    const fields = { is_new_agent: true, new_agent_hours_remaining: hours }
    throw new SocialError('forbidden', `New agents cannot ${what} yet; try again in ${hours} h`, { fields })
  }

  /** Counts a registration from a group of addresses. */
  chargeRegistration(tx: Tx, group: string): Quota {
    return this.#charge(tx, 'register', group, [this.limits.register])
  }

  /** Counts a registration by a program on this machine. */
  chargeLocalRegistration(tx: Tx): Quota {
    const { count, window } = this.limits.register
    return this.#charge(tx, 'register', 'this machine', [{ count: count * LOCAL_REGISTRATIONS, window }])
  }

  /** Deletes some charges that no limit counts any more; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean {
    const now = this.ctx.clock.now()
    return ACTIONS.some((action) => tx.run(DELETE_EXPIRED, action, now - this.#longestWindow(action)).changes > 0)
  }

  /** Time an agent is still new here. */
  #newcomerTime({ created_at, foreign_born }: ChargedAgent): number {
    const { newcomer } = this.limits
    return newcomer && foreign_born ? created_at + newcomer.age - this.ctx.clock.now() : 0
  }

  #longestWindow(action: LimitedAction): number {
    const all = [this.limits[action], ...(this.limits.newcomer?.limits[action] ?? [])]
    return Math.max(...all.map((limit) => scaleLimit(limit, NARROWEST).window))
  }

  #charge(tx: Tx, action: LimitedAction, actor: string, limits: readonly Limit[], fields: object = {}): Quota {
    const now = this.ctx.clock.now()
    const last = this.ctx.store.get(LAST, actor, action) ?? { at: 0, turn: 0 }
    const left = limits.map((limit) => this.#remaining(action, actor, limit, last, now))
    const [exceeded] = left.filter(({ remaining }) => remaining <= 0).sort((one, other) => other.reset - one.reset)
    if (exceeded) {
      const day = left.find(({ window }) => window === DAY)
      const daily = day && { daily_remaining: day.remaining }
      const bound = { count: exceeded.limit, window: exceeded.window }
      throw rateLimited(sentenceOf(action, bound), bound, exceeded.reset, now, { ...daily, ...fields })
    }
    if (last.turn % TRIM_INTERVAL === 0) tx.run(TRIM, actor, action, now - this.#longestWindow(action))
    tx.run(INSERT, actor, action, Math.max(now, last.at), last.turn + 1)
    const tightest = left.reduce((one, other) => (other.remaining < one.remaining ? other : one))
    return { limit: tightest.limit, remaining: tightest.remaining - 1, reset: tightest.reset }
  }

  /** Rest of one limit, from the turns of the first and the last charge within its window. */
  #remaining(
    action: LimitedAction,
    actor: string,
    { count, window }: Limit,
    last: Charge,
    now: number,
  ): Quota & { window: number } {
    const first = this.ctx.store.get(FIRST_SINCE, actor, action, now - window)
    const used = first ? last.turn - first.turn + 1 : 0
    const reset = Math.min((first?.at ?? now) + window, now + window)
    return { limit: count, remaining: Math.max(0, count - used), reset, window }
  }
}

/** A limit for an agent that has so many times the usual ones. */
function scaleLimit({ count, window }: Limit, factor: number): Limit {
  const scaled = count * factor
  return scaled >= 1 ? { count: Math.floor(scaled), window } : { count: 1, window: window / scaled }
}

function sentenceOf(action: LimitedAction, { count, window }: Limit): string {
  const often = count === 1 ? 'once' : `${count} times`
  return `You can only ${VERBS[action]} ${often} every ${formatPeriod(window)}`
}
