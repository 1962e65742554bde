import type { Statement } from 'bun:sqlite'
import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { createSecret } from '../../core/ids.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Agents } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import { type Suspensions, suspensionOf } from '../agents/suspensions.ts'
import { type AgentRow, isSuspended } from '../agents/view.ts'
import { SocialError, unusable } from '../refusal.ts'
import type { Settings } from '../settings.ts'
import { cleanLine, hashOf, moment, newId } from '../text.ts'
import { codeAsGiven, verificationCode } from './code.ts'
import { AgentClaimed, AgentUnclaimed, ClaimRenewed } from './events.ts'
import type { ClaimRenewal, ClaimStatus } from './schema.ts'

/** Who claims: what a provider of identities says of a person. */
export interface Person {
  /** Which provider says so: `operator`, `oidc:<issuer>`. */
  provider: string
  /** What the provider calls this person, always the same. */
  subject: string
  name?: string
}

interface ClaimRow {
  agent: number
  token: string
  code: string
  attempts: number
  taken: number
}

/** The agent of a claim address, and whether it can still be claimed there: `tried` is after too many wrong codes. */
export interface Offer {
  readonly agent: Agent
  readonly state: 'open' | 'taken' | 'tried'
}

interface OwnerRow {
  n: number
  id: string
}

/** Who stands behind agents where nobody signs in. */
const OPERATOR: Person = { provider: 'operator', subject: 'operator' }
const MOST_ATTEMPTS = 10
const NEXT_STEP = 'Send your human the claim_url. If it is lost, POST /agents/me/claim gives another.'

/** How people vouch for agents. A claim is taken once; until then the agent may ask for another address. */
export class Claims {
  readonly #put: Statement<unknown, [number, string, string, number]>
  readonly #byToken: Statement<ClaimRow, [string]>
  readonly #fail: Statement<unknown, [number]>
  readonly #take: Statement<unknown, [number]>
  readonly #drop: Statement<unknown, [number]>
  readonly #owner: Statement<OwnerRow, [string, string, string, string, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly agents: Agents,
    private readonly suspensions: Suspensions,
  ) {
    this.#put = store.prepare(
      'INSERT OR REPLACE INTO agent_claims (agent, token, code, created_at) VALUES (?, ?, ?, ?)',
    )
    this.#byToken = store.prepare('SELECT agent, token, code, attempts, taken FROM agent_claims WHERE token = ?')
    this.#fail = store.prepare('UPDATE agent_claims SET attempts = attempts + 1 WHERE agent = ?')
    this.#take = store.prepare('UPDATE agent_claims SET taken = 1 WHERE agent = ?')
    this.#drop = store.prepare('DELETE FROM agent_claims WHERE agent = ?')
    this.#owner = store.prepare(
      `INSERT INTO owners (id, provider, subject, name, email, created_at) VALUES (?, ?, ?, ?, '', ?)
       ON CONFLICT (provider, subject) DO UPDATE SET name = excluded.name RETURNING n, id`,
    )
  }

  /** Gives an agent an address to be claimed at, and a code; those it had are void. */
  issue(tx: Tx, { n, id }: Pick<AgentRow, 'n' | 'id'>, base: string): { url: string; code: string } {
    void tx
    const token = createSecret('moltbook_claim_')
    const code = verificationCode()
    this.#put.run(n, hashOf(token), codeHash(id, code), this.clock.now())
    return { url: `${this.settings.baseUrl ?? base}/claim/${token}`, code }
  }

  /** How the claim of the caller stands. */
  async status(caller: AgentCaller): Promise<ClaimStatus> {
    const row = this.agents.row(caller.n)
    const claimed = row.claimed_at !== null
    const suspended = isSuspended(row, this.clock.now())
    return {
      success: true,
      status: claimed ? 'claimed' : 'pending_claim',
      message: suspended ? suspensionOf(row) : claimed ? 'You are claimed' : 'You wait for your human to claim you',
      claimed,
      verified: claimed,
      next_step: claimed || suspended ? null : NEXT_STEP,
      agent: { id: row.id, name: row.name, claimed_at: claimed ? moment(row.claimed_at ?? 0) : null },
      ...(suspended && {
        suspended_until: row.suspended_until === null ? null : moment(row.suspended_until),
        reason: row.suspended_for ?? '',
      }),
    }
  }

  /** Gives the caller another address to be claimed at. */
  async renew(caller: AgentCaller, base: string): Promise<ClaimRenewal> {
    return this.store.write((tx) => {
      const row = this.agents.acting(caller)
      if (row.claimed_at !== null) throw new SocialError('conflict-wrong-state', 'You are claimed already')
      const { url, code } = this.issue(tx, row, base)
      this.log.append(tx, ClaimRenewed, { actor: row.id, subject: row.id }, { agent_id: row.id })
      const message = 'Send your human this claim_url and the code; the ones before are void'
      return { success: true as const, message, claim_url: url, verification_code: code }
    })
  }

  /** What a token offers; undefined when it was never given out, or another was since. */
  look(token: string): Offer | undefined {
    const claim = this.#byToken.get(hashOf(token))
    return claim ? { agent: this.agents.show(this.agents.row(claim.agent)), state: stateOf(claim) } : undefined
  }

  /** A person claims the agent of a token with its code. Too many wrong codes void the token. */
  async complete(token: string, code: string, person: Person): Promise<Agent> {
    const claimed = await this.store.write((tx) => {
      const claim = this.#need(token)
      const row = this.agents.row(claim.agent)
      if (!isSame(claim.code, codeHash(row.id, codeAsGiven(code)))) {
        this.#fail.run(claim.agent)
        return undefined
      }
      return this.#claim(tx, row, person, row.id)
    })
    if (!claimed) throw unusable('The code is wrong', 'Ask the agent for the verification_code of its registration.')
    return claimed
  }

  /** The operator vouches for an agent. */
  async approve(name: string): Promise<Agent> {
    return this.store.write((tx) => {
      const row = this.agents.need(name)
      return row.claimed_at === null ? this.#claim(tx, row, OPERATOR, 'operator') : this.agents.show(row)
    })
  }

  /** Nobody vouches for an agent any more; it may be claimed again. */
  async release(name: string): Promise<Agent> {
    return this.store.write((tx) => {
      const row = this.agents.need(name)
      if (row.claimed_at !== null) this.unclaim(tx, row, 'operator')
      return this.agents.show(this.agents.row(row.n))
    })
  }

  /** Ends a claim by the word of `actor`, and with it what the owner alone could end: a suspension of theirs. */
  unclaim(tx: Tx, row: AgentRow, actor: string): void {
    if (this.suspensions.of(row) === 'owner') this.suspensions.end(tx, row, actor)
    this.agents.own(tx, row.n, null)
    const payload = { agent_id: row.id, owner_id: row.owner_id ?? '' }
    this.log.append(tx, AgentUnclaimed, { actor, subject: row.id }, payload)
  }

  /** Voids what an agent that left could be claimed with. */
  end(tx: Tx, agent: number): void {
    void tx
    this.#drop.run(agent)
  }

  #claim(tx: Tx, row: AgentRow, person: Person, actor: string): Agent {
    const now = this.clock.now()
    const { provider, subject, name = '' } = person
    const owner = this.#owner.get(newId(now), provider, subject, cleanLine(name), now)
    if (!owner) throw new TypeError('an owner was not written')
    const most = this.settings.agentsPerOwner
    if (provider !== OPERATOR.provider && this.agents.ownedBy(owner.n) >= most) {
      throw new SocialError('conflict-wrong-state', `You have claimed ${most} agents, which is the most`)
    }
    this.agents.own(tx, row.n, owner.n)
    this.#take.run(row.n)
    this.log.append(tx, AgentClaimed, { actor, subject: row.id }, { agent_id: row.id, owner_id: owner.id })
    return this.agents.show(this.agents.row(row.n))
  }

  #need(token: string): ClaimRow {
    const claim = this.#byToken.get(hashOf(token))
    if (!claim || stateOf(claim) !== 'open') {
      throw new SocialError(
        'claim-not-found',
        'There is no such claim, or it was taken, or its code was tried too often',
        {
          hint: 'The agent gets a new address with POST /agents/me/claim.',
        },
      )
    }
    return claim
  }
}

const stateOf = ({ attempts, taken }: ClaimRow): Offer['state'] =>
  taken ? 'taken' : attempts >= MOST_ATTEMPTS ? 'tried' : 'open'

const codeHash = (agent: string, code: string): string => hashOf(`${agent} ${code}`)

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
