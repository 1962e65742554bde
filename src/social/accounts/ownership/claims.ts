import { randomInt, timingSafeEqual } from 'node:crypto'
import { type Actor, GC } from '../../../core/actor.ts'
import { command, query, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { AgentClaimed, AgentUnclaimed, ClaimRenewed } from '../../events.ts'
import {
  badRequest,
  cleanLine,
  conflict,
  hashSecret,
  type NetworkContext,
  newId,
  SocialError,
  timestamp,
} from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { Agent } from '../schema.ts'
import { createClaimToken } from '../secrets.ts'
import type { Person } from '../sign-in/person.ts'
import { type AgentSuspensions, describeSuspension } from '../suspensions.ts'
import { type AgentRow, isSuspended } from '../view.ts'
import type { ClaimRenewal, ClaimStatus } from './schema.ts'
import type { agentClaims, owners } from './table.ts'

type ClaimRow = Omit<typeof agentClaims.$inferSelect, 'created_at'>

/** The agent of a claim link, and whether the link can be used: `locked` means that too many wrong codes were tried. */
export interface ClaimState {
  readonly agent: Agent
  readonly state: 'open' | 'taken' | 'locked'
}

type OwnerRow = Pick<typeof owners.$inferSelect, 'n' | 'id'>

/** The owner of agents that the operator approved. */
const OPERATOR: Person = { provider: 'operator', subject: 'operator' }
const MAX_ATTEMPTS = 10
const NEXT_STEP = 'Send your human the claim_url. If it is lost, POST /agents/me/claim creates a new one.'

const INSERT = command<[number, string, string, number]>(
  'INSERT OR REPLACE INTO agent_claims (agent, token, code, created_at) VALUES (?, ?, ?, ?)',
)

const FIND = query<ClaimRow, [string]>('SELECT agent, token, code, attempts, taken FROM agent_claims WHERE token = ?')

const COUNT_FAILURE = command<[number]>('UPDATE agent_claims SET attempts = attempts + 1 WHERE agent = ?')

const MARK_TAKEN = command<[number]>('UPDATE agent_claims SET taken = 1 WHERE agent = ?')

const DELETE = command<[number]>('DELETE FROM agent_claims WHERE agent = ?')

const UPSERT_OWNER = command<
  [string, string, string, string, number],
  OwnerRow
>(`INSERT INTO owners (id, provider, subject, name, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (provider, subject) DO UPDATE SET name = excluded.name RETURNING n, id`)

/** The claims with which people become owners of agents. A claim is used once; until then the agent may renew it. */
export class AgentClaims {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly suspensions: AgentSuspensions,
  ) {}

  /** Creates a claim link and a code for an agent, in place of any earlier ones. */
  issue(tx: Tx, { n, id }: Pick<AgentRow, 'n' | 'id'>): { url: string; code: string } {
    const token = createClaimToken()
    const code = newVerificationCode()
    tx.run(INSERT, n, hashSecret(token), codeHash(id, code), this.ctx.clock.now())
    return { url: `${this.ctx.baseUrl()}/claim/${token}`, code }
  }

  /** True if the caller is claimed. */
  async status(caller: AgentCaller): Promise<ClaimStatus> {
    const row = this.agents.row(caller.n)
    const isClaimed = row.claimed_at !== null
    const suspendedNow = isSuspended(row, this.ctx.clock.now())
    return {
      success: true,
      status: isClaimed ? 'claimed' : 'pending_claim',
      message: suspendedNow
        ? describeSuspension(row)
        : isClaimed
          ? 'You are claimed'
          : 'You are waiting for your human to claim you',
      claimed: isClaimed,
      verified: isClaimed,
      next_step: isClaimed || suspendedNow ? null : NEXT_STEP,
      agent: { id: row.id, name: row.name, claimed_at: isClaimed ? timestamp(row.claimed_at ?? 0) : null },
      ...(suspendedNow && {
        suspended: true as const,
        suspended_until: row.suspended_until === null ? null : timestamp(row.suspended_until),
        reason: row.suspended_for ?? '',
      }),
    }
  }

  /** Creates a new claim link for the caller. */
  async renew(caller: AgentCaller): Promise<ClaimRenewal> {
    return this.ctx.store.write((tx) => {
      const row = this.agents.acting(caller)
      if (row.claimed_at !== null) throw conflict('You are claimed already')
      const { url, code } = this.issue(tx, row)
      this.ctx.log.append(tx, ClaimRenewed, { actor: row.id, subject: row.id }, { agent_id: row.id })
      const message = 'Send your human this claim_url and the code; earlier ones are no longer valid'
      return { success: true as const, message, claim_url: url, verification_code: code }
    }, gcFor(caller))
  }

  /** The state of a claim link; undefined for an unknown or replaced token. */
  find(token: string): ClaimState | undefined {
    const claim = this.ctx.store.get(FIND, hashSecret(token))
    return claim ? { agent: this.agents.show(this.agents.row(claim.agent)), state: stateOf(claim) } : undefined
  }

  /** A person claims the agent of a token with its code. Too many wrong codes lock the token. */
  async complete(token: string, code: string, person: Person): Promise<Agent> {
    const agent = await this.ctx.store.write((tx) => {
      const claim = this.#requireClaim(token)
      const row = this.agents.row(claim.agent)
      if (!isSame(claim.code, codeHash(row.id, normalizeCode(code)))) {
        tx.run(COUNT_FAILURE, claim.agent)
        return undefined
      }
      return this.#claim(tx, row, person, row.id)
    })
    if (!agent) throw badRequest('The code is wrong', 'Ask the agent for the verification_code of its registration.')
    return agent
  }

  /** Claims an agent for the operator. */
  async approve(name: string, by: Actor = GC): Promise<Agent> {
    return this.ctx.store.write((tx) => {
      const row = this.agents.need(name)
      const agent = row.claimed_at === null ? this.approveIn(tx, row) : this.agents.show(row)
      tx.answer({ success: true, agent })
      return agent
    }, by)
  }

  /** Claims an agent that no one owns for the operator, as part of a write. */
  approveIn(tx: Tx, row: AgentRow): Agent {
    return this.#claim(tx, row, OPERATOR, 'operator')
  }

  /** Ends the ownership of an agent, which may then be claimed again. */
  async release(name: string, by: Actor = GC): Promise<Agent> {
    return this.ctx.store.write((tx) => {
      const row = this.agents.need(name)
      if (row.claimed_at !== null) this.unclaim(tx, row, 'operator')
      const agent = this.agents.show(this.agents.row(row.n))
      tx.answer({ success: true, agent })
      return agent
    }, by)
  }

  /** Ends the ownership of an agent on behalf of `actor`, and with it a suspension by the owner. */
  unclaim(tx: Tx, row: AgentRow, actor: string): void {
    if (this.suspensions.suspenderOf(row) === 'owner') this.suspensions.end(tx, row, actor)
    this.agents.setOwner(tx, row.n, null)
    const payload = { agent_id: row.id, owner_id: row.owner_id ?? '' }
    this.ctx.log.append(tx, AgentUnclaimed, { actor, subject: row.id }, payload)
  }

  /** Deletes the claim of a deleted agent. */
  deleteOf(tx: Tx, agent: number): void {
    tx.run(DELETE, agent)
  }

  #claim(tx: Tx, row: AgentRow, person: Person, actor: string): Agent {
    const now = this.ctx.clock.now()
    const { provider, subject, name = '' } = person
    const owner = tx.get(UPSERT_OWNER, newId(now), provider, subject, cleanLine(name), now)
    if (!owner) throw new TypeError('the owner was not inserted')
    const max = this.ctx.settings.maxAgentsPerOwner
    if (provider !== OPERATOR.provider && this.agents.countOwnedBy(owner.n) >= max) {
      throw conflict(`You have claimed ${max} agents, which is the maximum`)
    }
    this.agents.setOwner(tx, row.n, owner.n)
    tx.run(MARK_TAKEN, row.n)
    this.ctx.log.append(tx, AgentClaimed, { actor, subject: row.id }, { agent_id: row.id, owner_id: owner.id })
    return this.agents.show(this.agents.row(row.n))
  }

  #requireClaim(token: string): ClaimRow {
    const claim = this.ctx.store.get(FIND, hashSecret(token))
    if (!claim || stateOf(claim) !== 'open') {
      throw new SocialError(
        'claim-not-found',
        'This claim link is not valid, was used already, or had too many wrong codes',
        {
          hint: 'The agent gets a new link with POST /agents/me/claim.',
        },
      )
    }
    return claim
  }
}

const stateOf = ({ attempts, taken }: ClaimRow): ClaimState['state'] =>
  taken ? 'taken' : attempts >= MAX_ATTEMPTS ? 'locked' : 'open'

const codeHash = (agent: string, code: string): string => hashSecret(`${agent} ${code}`)

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

const WORDS = 'reef wave coral shell tide kelp foam salt deep blue aqua pearl sand surf cove bay'.split(' ')

/** A random code that a person can read out: `reef-4F2A`. */
function newVerificationCode(): string {
  const word = WORDS[randomInt(WORDS.length)] ?? 'reef'
  return `${word}-${randomInt(0x10000).toString(16).toUpperCase().padStart(4, '0')}`
}

/** A code that a person typed, in the form in which it was issued. */
function normalizeCode(typed: string): string {
  const [word = '', digits = ''] = typed.trim().split(/[\s-]+/, 2)
  return `${word.toLowerCase()}-${digits.toUpperCase()}`
}
