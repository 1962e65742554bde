import type { Actor } from '../../core/actor.ts'
import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { KeyCreated, KeyRevoked } from '../events.ts'
import {
  badRequest,
  cleanLine,
  conflict,
  hashSecret,
  Kept,
  type NetworkContext,
  newId,
  SocialError,
  timestamp,
} from '../shared/index.ts'
import type { AgentAccounts } from './agents.ts'
import type { ApiKey, KeyDraft, KeyListResponse, MessageResponse, NewKeyResponse } from './schema.ts'
import { createApiKey } from './secrets.ts'
import type { agentKeys } from './table.ts'
import type { AgentRow } from './view.ts'

/** Facts that the guard needs about the agent of a key. */
export interface KeyHolder
  extends Pick<
    AgentRow,
    'n' | 'id' | 'name' | 'claimed_at' | 'suspended_at' | 'suspended_until' | 'suspended_for' | 'suspended_by'
  > {
  key_id: string
}

/** The other keys of an agent, with which it signs requests. */
interface SigningKeys {
  has(agent: number): boolean
  revokeAll(tx: Tx, agent: KeyOwner, actor: string): void
}

type KeyRow = Omit<typeof agentKeys.$inferSelect, 'hash'>

type KeyOwner = Pick<AgentRow, 'n' | 'id'>

const MAX_KEYS = 10
const MAX_LABEL = 50
/** Number of agents whose keys are kept while nothing changes. */
const MAX_HOLDERS = 2_000
const SAVE_KEY = 'Save this key now: it is shown only once.'

const HOLDER = query<KeyHolder, [string]>(
  stablePlan(`SELECT a.n, a.id, a.name, k.id AS key_id, a.claimed_at, a.suspended_at, a.suspended_until, a.suspended_for, a.suspended_by
       FROM agent_keys k JOIN agents a ON a.n = k.agent WHERE k.hash = ? AND a.deleted_at IS NULL`),
)

const INSERT = command<[string, number, string, string, string, number]>(
  'INSERT INTO agent_keys (id, agent, hash, label, ending, created_at) VALUES (?, ?, ?, ?, ?, ?)',
)

const SELECT = query<KeyRow, [number]>(stablePlan('SELECT * FROM agent_keys WHERE agent = ? ORDER BY created_at, id'))

const DELETE = command<[string]>('DELETE FROM agent_keys WHERE id = ?')

const DELETE_ALL = command<[number]>('DELETE FROM agent_keys WHERE agent = ?')

const TURN_ON = command<[number]>('UPDATE agents SET signed_only = 0 WHERE n = ? AND signed_only = 1')

/** The API keys of agents, stored as hashes. An agent may have several, so that one can be replaced without a gap. */
export class Keys {
  /** By the hash of the key. */
  readonly #holders: Kept<string, KeyHolder>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly signingKeys: SigningKeys,
  ) {
    this.#holders = new Kept(() => ctx.store.version, MAX_HOLDERS)
  }

  /** The agent with this key: the first that a request reads, in one transaction with what it reads next. */
  holder(key: string): KeyHolder | undefined {
    this.ctx.store.beginRead()
    const hash = hashSecret(key)
    return this.#holders.findNow(hash, () => this.ctx.store.get(HOLDER, hash) ?? undefined)
  }

  /** Creates a key without an event. */
  add(tx: Tx, agent: number, label: string): { key: string; row: KeyRow } {
    const key = createApiKey()
    const now = this.ctx.clock.now()
    const row = { id: newId(now), agent, label, ending: key.slice(-4), created_at: now }
    tx.run(INSERT, row.id, agent, hashSecret(key), label, row.ending, now)
    return { key, row }
  }

  /** Deletes the keys of a deleted agent. */
  deleteOf(tx: Tx, agent: number): void {
    tx.run(DELETE_ALL, agent)
  }

  /** Revokes the API keys of an agent on behalf of `actor`; those with which it signs stay. */
  revokeApiKeys(tx: Tx, agent: KeyOwner, actor: string): void {
    for (const row of this.ctx.store.all(SELECT, agent.n)) this.#revoke(tx, agent, row, actor)
  }

  /** Revokes all keys of an agent on behalf of `actor`: no one can act as this agent then. */
  revokeAll(tx: Tx, agent: KeyOwner, actor: string): void {
    this.revokeApiKeys(tx, agent, actor)
    this.signingKeys.revokeAll(tx, agent, actor)
  }

  /** Replaces all keys of an agent by a new API key on behalf of `actor`. */
  replace(tx: Tx, agent: KeyOwner, label: string, actor: string): NewKeyResponse {
    this.revokeAll(tx, agent, actor)
    tx.run(TURN_ON, agent.n)
    return this.#create(tx, agent, label, actor)
  }

  /** The keys of an agent; `current` is the one that the request was sent with. */
  async list({ n }: Pick<KeyOwner, 'n'>, current?: string): Promise<KeyListResponse> {
    return { success: true, keys: this.ctx.store.all(SELECT, n).map((row) => toFacts(row, current)) }
  }

  async create(caller: AgentCaller, { label = '', replace = false }: KeyDraft): Promise<NewKeyResponse> {
    const cleanLabel = cleanLine(label)
    if (cleanLabel.length > MAX_LABEL) throw badRequest(`A label must be ${MAX_LABEL} characters or less`)
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      if (me.signed_only === 1) throw apiKeysDisabled()
      if (replace) return this.replace(tx, me, cleanLabel, me.id)
      if (this.ctx.store.all(SELECT, me.n).length >= MAX_KEYS) throw tooManyKeys()
      return this.#create(tx, me, cleanLabel, me.id)
    }, gcFor(caller))
  }

  /** The operator replaces all keys of an agent. */
  async reissue(name: string, by: Actor): Promise<NewKeyResponse> {
    return this.ctx.store.write((tx) => this.replace(tx, this.agents.need(name), 'from the operator', 'operator'), by)
  }

  async revoke(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const rows = this.ctx.store.all(SELECT, caller.n)
      const row = rows.find((each) => each.id === id)
      if (!row)
        throw new SocialError('key-not-found', 'Key not found', { hint: 'GET /agents/me/keys lists your keys.' })
      if (rows.length === 1 && !this.signingKeys.has(caller.n)) throw onlyKey()
      this.#revoke(tx, caller, row, caller.id)
      return { success: true as const, message: 'Key revoked' }
    }, gcFor(caller))
  }

  #create(tx: Tx, { n, id }: KeyOwner, label: string, actor: string): NewKeyResponse {
    const { key, row } = this.add(tx, n, label)
    this.ctx.log.append(tx, KeyCreated, { actor, subject: id }, { agent_id: id, key_id: row.id })
    return { success: true, key: toFacts(row), api_key: key, important: SAVE_KEY }
  }

  #revoke(tx: Tx, { id }: KeyOwner, row: KeyRow, actor: string): void {
    tx.run(DELETE, row.id)
    this.ctx.log.append(tx, KeyRevoked, { actor, subject: id }, { agent_id: id, key_id: row.id })
  }
}

const toFacts = ({ id, label, ending, created_at }: KeyRow, current?: string): ApiKey => ({
  ...{ id, label, ending, current: id === current },
  created_at: timestamp(created_at),
})

const tooManyKeys = (): SocialError =>
  conflict(
    `You have ${MAX_KEYS} keys, which is the maximum`,
    'Revoke one with DELETE /agents/me/keys/:id, or send "replace": true.',
  )

const apiKeysDisabled = (): SocialError =>
  conflict('You turned API keys off', 'Turn them on with PUT /agents/me/bearer-keys, in a signed request.')

const onlyKey = (): SocialError =>
  conflict(
    'This is your only key; without it you could not use your account',
    'Create another with POST /agents/me/keys first, or delete the account with DELETE /agents/me.',
  )
