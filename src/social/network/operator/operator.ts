import type { Actor } from '../../../core/actor.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Miscount, Recounts } from '../../../core/store/index.ts'
import type { AccountResponse, AgentClaims, AgentSuspensions, Keys, NewKeyResponse } from '../../accounts/index.ts'
import type { SubmoltResponse, Submolts } from '../../communities/index.ts'
import { badRequest, clean } from '../../shared/index.ts'
import type { Recount, Suspension } from './schema.ts'

const MAX_REASON = 500
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

interface OperatorServices {
  readonly claims: AgentClaims
  readonly keys: Keys
  readonly suspensions: AgentSuspensions
  readonly submolts: Submolts
  readonly recounts: Recounts
}

/** Actions of the operator of this server on agents. */
export class OperatorActions {
  constructor(
    private readonly services: OperatorServices,
    private readonly clock: Clock,
  ) {}

  /** Approves the claim of an agent, in place of an owner. */
  async approve(name: string, by: Actor): Promise<AccountResponse> {
    return { success: true, agent: await this.services.claims.approve(name, by) }
  }

  /** Ends the claim of an agent, anyone who owns it. */
  async release(name: string, by: Actor): Promise<AccountResponse> {
    return { success: true, agent: await this.services.claims.release(name, by) }
  }

  /** Gives an agent a new key in place of all others. */
  async reissue(name: string, by: Actor): Promise<NewKeyResponse> {
    return this.services.keys.reissue(name, by)
  }

  async suspend(name: string, suspension: Suspension, by: Actor): Promise<AccountResponse> {
    const reason = clean(suspension.reason)
    if (reason === '') throw badRequest('Reason cannot be empty', 'The agent is shown why it was suspended.')
    if (reason.length > MAX_REASON) throw badRequest(`Reason must be ${MAX_REASON} characters or less`)
    const until = suspension.until === undefined ? undefined : this.#parseEnd(suspension.until)
    return { success: true, agent: await this.services.suspensions.suspend(name, reason, until, by) }
  }

  async reinstate(name: string, by: Actor): Promise<AccountResponse> {
    return { success: true, agent: await this.services.suspensions.reinstate(name, by) }
  }

  /** Makes an agent the owner of a community. */
  async setOwner(submolt: string, agent: string, by: Actor): Promise<SubmoltResponse> {
    return { success: true, submolt: await this.services.submolts.setOwner(submolt, agent, by), your_role: null }
  }

  async recount(): Promise<Recount> {
    return toRecount(await this.services.recounts.run())
  }

  /** Corrects the wrong counters; returns what was wrong. */
  async repairCounters(): Promise<Recount> {
    return toRecount(await this.services.recounts.repair())
  }

  #parseEnd(until: string): number {
    const end = TIMESTAMP.test(until) ? Date.parse(until) : Number.NaN
    if (Number.isNaN(end)) throw badRequest('Until must be a timestamp such as 2030-01-31T12:00:00Z')
    if (end <= this.clock.now()) throw badRequest('Until must be in the future')
    return end
  }
}

const toRecount = (miscounts: readonly Miscount[]): Recount => ({
  success: true,
  miscounts: miscounts.map(({ counter, id, stored, counted }) => ({
    ...{ counter, id, stored: Number(stored), counted: Number(counted) },
  })),
})
