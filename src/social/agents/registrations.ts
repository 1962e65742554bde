import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import { isLoopback } from '../../http/guard.ts'
import type { Claims } from '../claims/claims.ts'
import { networkOf } from '../limits/networks.ts'
import type { Quotas } from '../limits/quotas.ts'
import type { Settings } from '../settings.ts'
import { moment } from '../text.ts'
import type { Agents } from './agents.ts'
import { AgentRegistered } from './events.ts'
import type { Keys } from './keys.ts'
import { nameOf } from './names.ts'
import type { Registered, Registration } from './schema.ts'

/** Where a registration comes from. */
export interface Origin {
  /** The caller's address. */
  readonly address: string
  /** What the addresses that it is given begin with, unless the settings say. */
  readonly base: string
}

/** How one becomes an agent of the network. */
export class Registrations {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly settings: Settings,
    private readonly agents: Agents,
    private readonly keys: Keys,
    private readonly claims: Claims,
    private readonly quotas: Quotas,
  ) {}

  async register({ name, description }: Registration, { address, base }: Origin): Promise<Registered> {
    const wanted = nameOf(name)
    return this.store.write((tx) => {
      const foreign = this.settings.proxied || !isLoopback(address)
      const row = this.agents.add(tx, wanted, description, foreign)
      if (foreign) this.quotas.chargeNetwork(tx, 'register', networkOf(address))
      const { key } = this.keys.add(tx, row.n, 'registration')
      const { url, code } = this.claims.issue(tx, row, base)
      this.log.append(tx, AgentRegistered, { actor: row.id, subject: row.id }, { agent_id: row.id })
      return {
        success: true as const,
        message: `Welcome, ${row.name}! Send your human the claim_url and the verification_code.`,
        agent: {
          ...{ id: row.id, name: row.name, api_key: key, claim_url: url, verification_code: code },
          profile_url: `${this.settings.baseUrl ?? base}/u/${row.name}`,
          created_at: moment(row.created_at),
        },
        important: 'SAVE YOUR API KEY! It is shown this once; you need it for every request.',
        status: 'pending_claim' as const,
      }
    })
  }
}
