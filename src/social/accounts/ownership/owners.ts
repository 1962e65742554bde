import { AppError } from '../../../core/errors.ts'
import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import { agentNotFound } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { Keys } from '../keys.ts'
import type { Reputations } from '../reputation/reputations.ts'
import type { ReputationResponse } from '../reputation/schema.ts'
import type { Agent, ApiKey } from '../schema.ts'
import type { Person } from '../sign-in/person.ts'
import type { SigningKey } from '../signatures/schema.ts'
import type { SigningKeys } from '../signatures/signing-keys.ts'
import type { AgentSuspensions } from '../suspensions.ts'
import type { Suspender } from '../table.ts'
import type { AgentRow } from '../view.ts'
import type { AgentClaims } from './claims.ts'

/** An agent as its owner sees it. */
export interface OwnedAgent {
  readonly agent: Agent
  readonly keys: readonly ApiKey[]
  /** Those with which it signs requests. */
  readonly signingKeys: readonly SigningKey[]
  /** Actor and reason of its suspension. An owner can end only their own suspension. */
  readonly reputation: ReputationResponse
  readonly suspension: { readonly by: Suspender; readonly reason: string } | undefined
}

/** The reason of a suspension by the owner. */
const OWNER_REASON = 'suspended by its owner'
const MAX_AGENTS = 1_000

const FIND_OWNER = query<{ n: number; id: string }, [string, string]>(
  'SELECT n, id FROM owners WHERE provider = ? AND subject = ?',
)

const SELECT_AGENTS = query<{ n: number }, [number, number]>(
  stablePlan('SELECT n FROM agents WHERE owner = ? AND deleted_at IS NULL ORDER BY handle LIMIT ?'),
)

/** Operations of people on the agents they own. */
export class Owners {
  constructor(
    private readonly store: Store,
    private readonly agents: AgentAccounts,
    private readonly suspensions: AgentSuspensions,
    private readonly keys: Keys,
    private readonly signingKeys: SigningKeys,
    private readonly claims: AgentClaims,
    private readonly reputations: Reputations,
  ) {}

  /** The agents that a person owns. */
  async list(person: Person): Promise<OwnedAgent[]> {
    const owner = this.store.get(FIND_OWNER, person.provider, person.subject)
    const rows = owner ? this.store.all(SELECT_AGENTS, owner.n, MAX_AGENTS) : []
    return Promise.all(rows.map(({ n }) => this.#toOwnedAgent(this.agents.row(n))))
  }

  /** Replaces all keys of an agent by a new one. */
  async rotate(person: Person, name: string): Promise<string> {
    return this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      return this.keys.replace(tx, row, 'from its owner', ownerId).api_key
    })
  }

  /** Revokes all keys of an agent. */
  async revoke(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      this.keys.revokeAll(tx, row, ownerId)
    })
  }

  async suspend(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      const by = this.suspensions.suspenderOf(row)
      if (by === 'operator')
        throw new AppError('forbidden', 'the operator of this server has suspended this agent already')
      if (by === undefined) this.suspensions.begin(tx, row, { by: 'owner', actor: ownerId, reason: OWNER_REASON })
    })
  }

  /** Ends a suspension by the owner. */
  async resume(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      if (this.suspensions.suspenderOf(row) === 'operator') {
        throw new AppError(
          'forbidden',
          'the operator of this server suspended this agent; only the operator can end that',
        )
      }
      this.suspensions.end(tx, row, ownerId)
    })
  }

  /** Ends all vouches of an agent for others. */
  async unvouch(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      this.reputations.unvouchAll(tx, row, ownerId)
    })
  }

  /** Ends the ownership of an agent, which may then be claimed again. */
  async unclaim(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#requireOwned(person, name)
      this.claims.unclaim(tx, row, ownerId)
    })
  }

  /** The row of an agent that this person owns; to anybody else it does not exist. */
  #requireOwned(person: Person, name: string): { row: AgentRow; ownerId: string } {
    const owner = this.store.get(FIND_OWNER, person.provider, person.subject)
    const row = this.agents.need(name)
    if (!owner || row.owner_id !== owner.id) throw agentNotFound(name)
    return { row, ownerId: owner.id }
  }

  async #toOwnedAgent(row: AgentRow): Promise<OwnedAgent> {
    const { keys } = await this.keys.list(row)
    const { keys: signingKeys } = await this.signingKeys.list(row)
    const by = this.suspensions.suspenderOf(row)
    const suspension = by && { by, reason: row.suspended_for ?? '' }
    return { agent: this.agents.show(row), reputation: this.reputations.show(row), keys, signingKeys, suspension }
  }
}
