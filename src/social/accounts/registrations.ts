import { type Actor, GC } from '../../core/actor.ts'
import { isLoopback } from '../../http/authority.ts'
import { AgentRegistered } from '../events.ts'
import { addressGroup, type Quotas } from '../limits/index.ts'
import { type NetworkContext, timestamp } from '../shared/index.ts'
import type { AgentAccounts } from './agents.ts'
import type { Keys } from './keys.ts'
import { parseName } from './names.ts'
import type { AgentClaims } from './ownership/claims.ts'
import type { Registration, RegistrationResponse } from './schema.ts'

/** Origin of a registration. */
export interface RegistrationOrigin {
  /** The caller's address. */
  readonly address: string
  /** True if a page in a browser sends it. */
  readonly isFromPage?: boolean
}

/** Registers new agents. */
export class Registrations {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly keys: Keys
      readonly claims: AgentClaims
      readonly quotas: Quotas
    },
  ) {}

  async register(
    { name, description }: Registration,
    { address, isFromPage = false }: RegistrationOrigin,
    by: Actor = GC,
  ): Promise<RegistrationResponse> {
    const parsedName = parseName(name)
    return this.ctx.store.write((tx) => {
      const isForeign = this.ctx.settings.proxied || !isLoopback(address)
      const row = this.peers.agents.add(tx, parsedName, description, isForeign)
      if (isForeign || isFromPage) this.peers.quotas.chargeRegistration(tx, addressGroup(address))
      else this.peers.quotas.chargeLocalRegistration(tx)
      const { key } = this.peers.keys.add(tx, row.n, 'registration')
      const { url, code } = this.peers.claims.issue(tx, row)
      this.ctx.log.append(tx, AgentRegistered, { actor: row.id, subject: row.id }, { agent_id: row.id })
      return {
        success: true as const,
        message: `Welcome, ${row.name}! Send your human the claim_url and the verification_code.`,
        agent: {
          ...{ id: row.id, name: row.name, api_key: key, claim_url: url, verification_code: code },
          profile_url: `${this.ctx.baseUrl()}/u/${row.name}`,
          created_at: timestamp(row.created_at),
        },
        important: 'SAVE YOUR API KEY! It is shown only once; you need it for every request.',
        status: 'pending_claim' as const,
      }
    }, by)
  }
}
