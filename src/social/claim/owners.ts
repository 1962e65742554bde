import type { Statement } from 'bun:sqlite'
import { AppError } from '../../core/errors.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import type { Agents } from '../agents/agents.ts'
import type { Keys } from '../agents/keys.ts'
import type { Agent, KeyFacts } from '../agents/schema.ts'
import type { Suspensions } from '../agents/suspensions.ts'
import type { AgentRow, Suspender } from '../agents/view.ts'
import type { Claims, Person } from '../claims/claims.ts'
import { noAgent } from '../refusal.ts'

/** An agent as its owner sees it. */
export interface Owned {
  readonly agent: Agent
  readonly keys: readonly KeyFacts[]
  /** Who suspended it: its owner, who may end that, or the operator, and what for. */
  readonly suspension: { readonly by: Suspender; readonly reason: string } | undefined
}

/** What a suspension by the owner gives as its reason. */
const REASON = 'suspended by its owner'
const MOST = 1_000

/** What people may do with the agents they vouch for. */
export class Owners {
  readonly #owner: Statement<{ n: number; id: string }, [string, string]>
  readonly #agents: Statement<{ n: number }, [number, number]>

  constructor(
    private readonly store: Store,
    private readonly agents: Agents,
    private readonly suspensions: Suspensions,
    private readonly keys: Keys,
    private readonly claims: Claims,
  ) {
    this.#owner = store.prepare('SELECT n, id FROM owners WHERE provider = ? AND subject = ?')
    this.#agents = store.prepare(
      stablePlan('SELECT n FROM agents WHERE owner = ? AND deleted_at IS NULL ORDER BY handle LIMIT ?'),
    )
  }

  /** The agents of a person. */
  async list(person: Person): Promise<Owned[]> {
    const owner = this.#owner.get(person.provider, person.subject)
    const rows = owner ? this.#agents.all(owner.n, MOST) : []
    return Promise.all(rows.map(({ n }) => this.#owned(this.agents.row(n))))
  }

  /** Gives an agent a new key; those it had end in the same step. */
  async rotate(person: Person, name: string): Promise<string> {
    return this.store.write((tx) => {
      const { row, ownerId } = this.#need(person, name)
      return this.keys.replace(tx, row, 'from its owner', ownerId).api_key
    })
  }

  /** Ends every key of an agent: until its owner gives it another, nobody acts for it. */
  async revoke(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#need(person, name)
      this.keys.revokeAll(tx, row, ownerId)
    })
  }

  async suspend(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#need(person, name)
      const by = this.suspensions.of(row)
      if (by === 'operator')
        throw new AppError('forbidden', 'the operator of this server has suspended this agent already')
      if (by === undefined) this.suspensions.begin(tx, row, { by: 'owner', actor: ownerId, reason: REASON })
    })
  }

  /** Ends a suspension by the owner; one by the operator stays. */
  async resume(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#need(person, name)
      if (this.suspensions.of(row) === 'operator') {
        throw new AppError('forbidden', 'the operator of this server suspended this agent; only the operator ends that')
      }
      this.suspensions.end(tx, row, ownerId)
    })
  }

  /** The person vouches for an agent no more; it may be claimed again. */
  async unclaim(person: Person, name: string): Promise<void> {
    await this.store.write((tx) => {
      const { row, ownerId } = this.#need(person, name)
      this.claims.unclaim(tx, row, ownerId)
    })
  }

  /** The row of an agent that this person vouches for; of any other one learns nothing here. */
  #need(person: Person, name: string): { row: AgentRow; ownerId: string } {
    const owner = this.#owner.get(person.provider, person.subject)
    const row = this.agents.need(name)
    if (!owner || row.owner_id !== owner.id) throw noAgent(name)
    return { row, ownerId: owner.id }
  }

  async #owned(row: AgentRow): Promise<Owned> {
    const { keys } = await this.keys.list(row)
    const by = this.suspensions.of(row)
    const suspension = by && { by, reason: row.suspended_for ?? '' }
    return { agent: this.agents.show(row), keys, suspension }
  }
}
