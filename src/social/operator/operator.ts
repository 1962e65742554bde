import type { Clock } from '../../core/clock.ts'
import type { AgentAnswer, NewKey } from '../agents/schema.ts'
import type { Network } from '../network.ts'
import { unusable } from '../refusal.ts'
import { clean } from '../text.ts'
import type { Recount, Suspension } from './schema.ts'

const MOST_REASON = 500
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** What whoever runs this server does with the agents of others. */
export class Operator {
  constructor(
    private readonly network: Pick<Network, 'claims' | 'keys' | 'suspensions' | 'recount'>,
    private readonly clock: Clock,
  ) {}

  /** Vouches for an agent, in place of a person. */
  async approve(name: string): Promise<AgentAnswer> {
    return { success: true, agent: await this.network.claims.approve(name) }
  }

  /** Ends the claim of an agent, whoever claimed it. */
  async release(name: string): Promise<AgentAnswer> {
    return { success: true, agent: await this.network.claims.release(name) }
  }

  /** Gives an agent that lost its key another, in place of all it had. */
  async reissue(name: string): Promise<NewKey> {
    return this.network.keys.reissue(name)
  }

  async suspend(name: string, { reason, until }: Suspension): Promise<AgentAnswer> {
    const why = clean(reason)
    if (why === '') throw unusable('Reason cannot be empty', 'The agent is told what it was suspended for.')
    if (why.length > MOST_REASON) throw unusable(`Reason must be ${MOST_REASON} characters or less`)
    const end = until === undefined ? undefined : this.#endOf(until)
    return { success: true, agent: await this.network.suspensions.suspend(name, why, end) }
  }

  async reinstate(name: string): Promise<AgentAnswer> {
    return { success: true, agent: await this.network.suspensions.reinstate(name) }
  }

  async recount(): Promise<Recount> {
    return { success: true, miscounts: await this.network.recount() }
  }

  #endOf(until: string): number {
    const at = MOMENT.test(until) ? Date.parse(until) : Number.NaN
    if (Number.isNaN(at)) throw unusable('Until must be a moment such as 2030-01-31T12:00:00Z')
    if (at <= this.clock.now()) throw unusable('Until must lie in the future')
    return at
  }
}
