import { command, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { BearerKeysChanged } from '../../events.ts'
import { type NetworkContext, SocialError } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { AgentRow } from '../view.ts'
import type { BearerKeysResponse } from './schema.ts'

/** Storage of agents' API keys. */
interface ApiKeys {
  revokeApiKeys(tx: Tx, agent: Pick<AgentRow, 'n' | 'id'>, actor: string): void
}

const UPDATE = command<[number, number]>('UPDATE agents SET signed_only = ? WHERE n = ?')

/** True if an agent may be called by API keys, or only by signed requests. */
export class BearerKeySetting {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly apiKeys: ApiKeys,
  ) {}

  /** Turns API keys off, which revokes those there are, or on. Only a signed request does: its sender is not locked out. */
  async set(caller: AgentCaller, enabled: boolean, isSigned: boolean): Promise<BearerKeysResponse> {
    if (!isSigned) throw notSigned()
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      if ((me.signed_only === 0) !== enabled) this.change(tx, me, enabled, me.id)
      const message = enabled ? 'API keys may be used again' : 'Only signed requests are accepted from now on'
      return { success: true as const, message, enabled }
    }, gcFor(caller))
  }

  /** The same for an agent for which they are not as `enabled` says, on behalf of `actor`. */
  change(tx: Tx, agent: Pick<AgentRow, 'n' | 'id'>, enabled: boolean, actor: string): void {
    if (!enabled) this.apiKeys.revokeApiKeys(tx, agent, actor)
    tx.run(UPDATE, Number(!enabled), agent.n)
    this.ctx.log.append(tx, BearerKeysChanged, { actor, subject: agent.id }, { agent_id: agent.id, enabled })
  }
}

const notSigned = (): SocialError =>
  new SocialError('forbidden', 'Only a signed request may change this', {
    hint: 'Add a key with POST /agents/me/signing-keys, and sign this request with it.',
  })
