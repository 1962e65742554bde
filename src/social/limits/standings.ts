import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { Limits, NetworkContext } from '../shared/index.ts'
import { type AgentRecord, keepsRepeating, type Level, LIMIT_FACTORS, levelOf } from './levels.ts'

/** The columns of an agent on which its standing depends. */
export interface RatedAgent {
  readonly n: number
  readonly created_at: number
  readonly karma: number
  readonly claimed_at: number | null
  readonly owner: number | null
}

/** More are not counted. */
const MAX_COUNTED = 100

export const STANDING_SQL = {
  /** Each owner counts once; whom the operator claimed, automatically. */
  vouches: `SELECT count(DISTINCT iif(o.provider = 'operator', -a.n, a.owner)) AS n
    FROM (SELECT voucher FROM vouches WHERE agent = ?1 LIMIT ${MAX_COUNTED}) v JOIN agents a ON a.n = v.voucher
    JOIN owners o ON o.n = a.owner
    WHERE a.suspended_at IS NULL AND (o.provider = 'operator' OR a.owner IS NOT ?2)`,
  repeats: 'SELECT count(*) AS n FROM (SELECT 1 FROM text_repeats WHERE agent = ? AND at > ? LIMIT ?)',
  originals:
    'SELECT count(*) AS n FROM (SELECT 1 FROM text_prints INDEXED BY text_prints_by WHERE author = ? AND at > ? LIMIT ?)',
}

const SLICE = 500

const VOUCHES = query<{ n: number }, [number, number | null]>(STANDING_SQL.vouches)

const REPEATS = query<{ n: number }, [number, number, number]>(stablePlan(STANDING_SQL.repeats))

const ORIGINALS = query<{ n: number }, [number, number, number]>(stablePlan(STANDING_SQL.originals))

const COUNT_REPEAT = command<[number, number]>('INSERT INTO text_repeats (agent, at) VALUES (?, ?)')

const DELETE_EXPIRED = command<[number]>(
  `DELETE FROM text_repeats WHERE n IN (SELECT n FROM text_repeats WHERE at <= ? ORDER BY at LIMIT ${SLICE})`,
)

/** Recent behaviour of an agent and its vouches, which widen or narrow its limits. */
export class Standings {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly limits: Limits,
  ) {}

  /** Number of times the usual limits an agent has. */
  factorOf(agent: RatedAgent): number {
    if (!this.limits.standing && !this.limits.repeats) return 1
    const factor = LIMIT_FACTORS[this.levelOf(agent)]
    return this.limits.standing ? factor : Math.min(factor, 1)
  }

  levelOf(agent: RatedAgent): Level {
    return levelOf(this.recordOf(agent))
  }

  recordOf(agent: RatedAgent): AgentRecord {
    const age = this.ctx.clock.now() - agent.created_at
    const { karma, claimed_at } = agent
    return { age, isClaimed: claimed_at !== null, vouches: this.countVouches(agent), karma, ...this.#texts(agent) }
  }

  /** Number of owners whose agents vouch for an agent, without its own owner. */
  countVouches({ n, owner }: Pick<RatedAgent, 'n' | 'owner'>): number {
    return this.ctx.store.get(VOUCHES, n, owner)?.n ?? 0
  }

  /** True if an agent keeps repeating what it or others wrote. */
  isRepeating(agent: Pick<RatedAgent, 'n'>): boolean {
    return keepsRepeating(this.#texts(agent))
  }

  countRepeat(tx: Tx, { n }: Pick<RatedAgent, 'n'>): void {
    tx.run(COUNT_REPEAT, n, this.ctx.clock.now())
  }

  /** Deletes some repeats that do not count any more; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean {
    return tx.run(DELETE_EXPIRED, this.#since()).changes === SLICE
  }

  #texts({ n }: Pick<RatedAgent, 'n'>): Pick<AgentRecord, 'repeats' | 'originals'> {
    if (!this.limits.repeats) return { repeats: 0, originals: 0 }
    const repeats = this.ctx.store.get(REPEATS, n, this.#since(), MAX_COUNTED)?.n ?? 0
    const originals = repeats === 0 ? 0 : (this.ctx.store.get(ORIGINALS, n, this.#since(), MAX_COUNTED)?.n ?? 0)
    return { repeats, originals }
  }

  #since(): number {
    return this.ctx.clock.now() - (this.limits.repeats?.window ?? 0)
  }
}
