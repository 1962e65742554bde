import type { EventLog } from '../../../core/events/index.ts'
import type { Store, Tx } from '../../../core/store/index.ts'
import {
  type AgentAccounts,
  type AgentClaims,
  type AgentRow,
  type BearerKeySetting,
  parseName,
  parsePublicKey,
  type SigningKeys,
  thumbprintOf,
} from '../../accounts/index.ts'
import { AgentRegistered } from '../../events.ts'
import type { DirectMessages, Notifications } from '../../messages/index.ts'
import { agentNotFound, conflict } from '../../shared/index.ts'

interface CityAgentServices {
  readonly store: Store
  readonly log: EventLog
  readonly agents: AgentAccounts
  readonly claims: AgentClaims
  readonly signingKeys: SigningKeys
  readonly bearerKeys: BearerKeySetting
  readonly notifications: Notifications
  readonly directMessages: DirectMessages
}

/** An agent of a city that gets an account. */
export interface CityAgent {
  readonly name: string
  readonly description: string
  /** The public part of its key: `x` of the JWK. */
  readonly publicKey: string
}

const OPERATOR = 'operator'
const LABEL = 'kept in its city'

/** The accounts of agents that the cities of this server run. They act by signed requests only, and the operator owns them. */
export class CityAgents {
  constructor(private readonly services: CityAgentServices) {}

  /** Registers an account. The same name with the same key is the account that there is. */
  async register({ name, description, publicKey }: CityAgent): Promise<{ id: string; name: string }> {
    const { store, log, agents, claims, signingKeys, bearerKeys } = this.services
    const parsedName = parseName(name)
    const x = parsePublicKey({ kty: 'OKP', crv: 'Ed25519', x: publicKey })
    return store.write((tx) => {
      const before = this.#ownerOf(x)
      if (before?.name === parsedName.name) return { id: before.id, name: before.name }
      if (before) throw conflict('This key is registered already')
      const row = agents.add(tx, parsedName, description, false)
      log.append(tx, AgentRegistered, { actor: OPERATOR, subject: row.id }, { agent_id: row.id })
      signingKeys.insert(tx, row, x, LABEL, OPERATOR)
      bearerKeys.change(tx, row, false, OPERATOR)
      claims.approveIn(tx, row)
      return { id: row.id, name: row.name }
    })
  }

  /** Gives an account this key instead of its keys; without one, no one can act as it. */
  async setKey(id: string, publicKey: string | undefined): Promise<void> {
    const { store, signingKeys } = this.services
    const x = publicKey && parsePublicKey({ kty: 'OKP', crv: 'Ed25519', x: publicKey })
    await store.write((tx: Tx) => {
      const row = this.#need(id)
      signingKeys.revokeAll(tx, row, OPERATOR)
      if (x) signingKeys.insert(tx, row, x, LABEL, OPERATOR)
    })
  }

  /** Number of an agent's unread notifications, unread messages and requests; 0 if it is deleted. */
  async unreadOf(id: string): Promise<number> {
    const { agents, notifications, directMessages } = this.services
    const row = agents.findById(id)
    if (!row) return 0
    const caller = { kind: 'agent' as const, n: row.n, id, name: row.name }
    const { requests, messages } = await directMessages.check(caller)
    return notifications.countUnread(caller) + requests.count + messages.total_unread
  }

  #ownerOf(x: string): AgentRow | undefined {
    const n = this.services.signingKeys.ownerOf(thumbprintOf(x))
    return n === undefined ? undefined : this.services.agents.row(n)
  }

  #need(id: string): AgentRow {
    const row = this.services.agents.findById(id)
    if (!row) throw agentNotFound(id)
    return row
  }
}
