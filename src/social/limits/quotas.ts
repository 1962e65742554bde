import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Charged, Limit, Limits } from '../settings.ts'
import { overdrawn, spanOf } from './overdrawn.ts'

/** What is left of a limit after something was done. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
}

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

/** Who did what lately, in rows: a limit is exact, outlives a restart, and is charged with the deed itself or not at all. */
export class Quotas {
  readonly #used: Statement<{ used: number; oldest: number | null }, [string, string, number]>
  readonly #last: Statement<{ at: number; turn: number }, [string, string]>
  readonly #add: Statement<unknown, [string, string, number, number]>
  readonly #trim: Statement<unknown, [string, string, number]>
  readonly #sweep: Statement<unknown, [number]>
  readonly #longest: number

  constructor(
    store: Store,
    private readonly clock: Clock,
    private readonly limits: Limits,
  ) {
    this.#used = store.prepare(
      'SELECT count(*) AS used, min(at) AS oldest FROM charges WHERE who = ? AND what = ? AND at > ?',
    )
    this.#last = store.prepare(
      'SELECT at, turn FROM charges WHERE who = ? AND what = ? ORDER BY at DESC, turn DESC LIMIT 1',
    )
    this.#add = store.prepare('INSERT INTO charges (who, what, at, turn) VALUES (?, ?, ?, ?)')
    this.#trim = store.prepare('DELETE FROM charges WHERE who = ? AND what = ? AND at <= ?')
    this.#sweep = store.prepare(
      'DELETE FROM charges WHERE (who, what, at, turn) IN (SELECT who, what, at, turn FROM charges WHERE at <= ? LIMIT 500)',
    )
    const { general: _, newcomer, ...usual } = limits
    this.#longest = Math.max(
      ...[...Object.values(usual), ...Object.values(newcomer?.limits ?? {})].map((one) => one.window),
    )
  }

  /** Charges for a deed with the write that does it; throws when there was too much of it. `since` is when the agent was made. */
  charge(tx: Tx, what: Charged, who: string, since?: number): Quota {
    void tx
    const now = this.clock.now()
    const { limit, young } = this.#limitOf(what, since, now)
    const { used, oldest } = this.#used.get(who, what, now - limit.window) ?? { used: 0, oldest: null }
    const reset = Math.min((oldest ?? now) + limit.window, now + limit.window)
    if (used >= limit.count) throw overdrawn(sentenceOf(what, limit), limit, reset, now, young)
    this.#trim.run(who, what, now - this.#longest)
    const last = this.#last.get(who, what)
    this.#add.run(who, what, now, last?.at === now ? last.turn + 1 : 0)
    return { limit: limit.count, remaining: limit.count - used - 1, reset }
  }

  /** Forgets some of what no limit looks at any more; whether there may be more. */
  sweep(tx: Tx): boolean {
    void tx
    return this.#sweep.run(this.clock.now() - this.#longest).changes > 0
  }

  #limitOf(what: Charged, since: number | undefined, now: number): { limit: Limit; young?: object } {
    const { newcomer } = this.limits
    const special = newcomer?.limits[what]
    const left = newcomer && since !== undefined ? since + newcomer.age - now : 0
    if (!special || left <= 0) return { limit: this.limits[what] }
    return {
      limit: special,
      young: { is_new_agent: true, new_agent_hours_remaining: Math.ceil(left / 3_600_000) },
    }
  }
}

function sentenceOf(what: Charged, { count, window }: Limit): string {
  const often = count === 1 ? 'once' : `${count} times`
  return `You can only ${DONE[what]} ${often} every ${spanOf(window)}`
}
