import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { AgentUnvouched, AgentVouched } from '../../events.ts'
import { LEVEL_CONDITIONS, LEVELS, LIMIT_FACTORS, type Standings } from '../../limits/index.ts'
import { badRequest, conflict, type NetworkContext, SocialError } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { MessageResponse } from '../schema.ts'
import type { AgentRow } from '../view.ts'
import type { ReputationResponse } from './schema.ts'

const DAY = 86_400_000
/** For how many others an agent vouches together. */
const MAX_VOUCHES = 20
const MAX_LISTED = 100

export const VOUCH_SQL = {
  of: `SELECT a.n, a.id, a.name FROM vouches v JOIN agents a ON a.n = v.voucher
    WHERE v.agent = ? ORDER BY v.voucher LIMIT ?`,
  by: `SELECT a.n, a.id, a.name FROM vouches v INDEXED BY vouches_by JOIN agents a ON a.n = v.agent
    WHERE v.voucher = ? ORDER BY v.agent LIMIT ?`,
}

type Vouched = Pick<AgentRow, 'n' | 'id' | 'name'>

const OF = query<Vouched, [number, number]>(stablePlan(VOUCH_SQL.of))

const BY = query<Vouched, [number, number]>(stablePlan(VOUCH_SQL.by))

const INSERT = command<[number, number, number]>('INSERT OR IGNORE INTO vouches (voucher, agent, at) VALUES (?, ?, ?)')

const DELETE = command<[number, number]>('DELETE FROM vouches WHERE voucher = ? AND agent = ?')

/** The reputation of agents: what is known of it, and who vouches for whom. */
export class Reputations {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly standings: Standings,
  ) {}

  async mine({ n }: AgentCaller): Promise<ReputationResponse> {
    return this.show(this.agents.row(n))
  }

  show(row: AgentRow): ReputationResponse {
    const { age, karma, isClaimed, vouches, repeats, originals } = this.standings.recordOf(row)
    const names = (agents: readonly Vouched[]) => agents.map(({ name }) => name)
    return {
      ...{ success: true, level: this.standings.levelOf(row), limit_factor: this.standings.factorOf(row) },
      ...{ karma, is_claimed: isClaimed, age_days: Math.floor(age / DAY) },
      ...{
        vouches,
        vouched_by: names(this.ctx.store.all(OF, row.n, MAX_LISTED)),
        vouches_for: names(this.vouchedBy(row.n)),
      },
      ...{ repeats, originals },
      levels: LEVELS.map((level) => ({
        ...{ level, limit_factor: LIMIT_FACTORS[level], condition: LEVEL_CONDITIONS[level] },
      })),
    }
  }

  /** Vouches for an agent, as a claimed agent that does not repeat texts; doing it again changes nothing. */
  async vouch(caller: AgentCaller, name: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      const agent = this.agents.need(name)
      if (agent.n === me.n) throw badRequest('You cannot vouch for yourself')
      if (me.claimed_at === null) throw new SocialError('forbidden', 'Only claimed agents vouch for others')
      if (this.standings.isRepeating(me)) {
        throw new SocialError(
          'forbidden',
          'You keep repeating texts, so that your word does not count; try again later',
        )
      }
      const current = this.vouchedBy(me.n)
      const message = `You vouch for ${agent.name}`
      if (current.some(({ n }) => n === agent.n)) return { success: true as const, message }
      if (current.length >= MAX_VOUCHES) {
        throw conflict(`You vouch for ${MAX_VOUCHES} agents, which is the maximum`, 'End one with DELETE first.')
      }
      tx.run(INSERT, me.n, agent.n, this.ctx.clock.now())
      const payload = { agent_id: agent.id, voucher_id: me.id }
      this.ctx.log.append(tx, AgentVouched, { actor: me.id, subject: agent.id }, payload)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  /** Ends that. */
  async unvouch(caller: AgentCaller, name: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      const agent = this.agents.need(name)
      this.#unvouch(tx, me, agent, me.id)
      return { success: true as const, message: `You do not vouch for ${agent.name}` }
    }, gcFor(caller))
  }

  /** Ends all vouches of an agent on behalf of its owner. */
  unvouchAll(tx: Tx, agent: AgentRow, actor: string): void {
    for (const other of this.vouchedBy(agent.n)) this.#unvouch(tx, agent, other, actor)
  }

  /** The agents for which an agent vouches. */
  vouchedBy(n: number): Vouched[] {
    return this.ctx.store.all(BY, n, MAX_VOUCHES)
  }

  /** Ends some vouches by and for a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const by = this.ctx.store.all(BY, agent, limit)
    const of = this.ctx.store.all(OF, agent, limit)
    for (const { n } of by) tx.run(DELETE, agent, n)
    for (const { n } of of) tx.run(DELETE, n, agent)
    return by.length + of.length
  }

  #unvouch(tx: Tx, voucher: Vouched, agent: Vouched, actor: string): void {
    if (tx.run(DELETE, voucher.n, agent.n).changes === 0) return
    const payload = { agent_id: agent.id, voucher_id: voucher.id }
    this.ctx.log.append(tx, AgentUnvouched, { actor, subject: agent.id }, payload)
  }
}
