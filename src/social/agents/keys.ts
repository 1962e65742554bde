import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { createSecret } from '../../core/ids.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { TOKEN_PREFIX } from '../../http/credentials.ts'
import { SocialError, unusable } from '../refusal.ts'
import { cleanLine, hashOf, moment, newId } from '../text.ts'
import type { Agents } from './agents.ts'
import { KeyCreated, KeyRevoked } from './events.ts'
import type { Done, KeyDraft, KeyFacts, KeyList, NewKey } from './schema.ts'
import type { AgentRow, Suspender } from './view.ts'

/** What a gate has to know of the agent whose key was shown. */
export interface Holder {
  n: number
  id: string
  name: string
  key_id: string
  claimed_at: number | null
  suspended_at: number | null
  suspended_until: number | null
  suspended_for: string | null
  suspended_by: Suspender | null
}

interface KeyRow {
  id: string
  agent: number
  label: string
  ending: string
  created_at: number
}

type Whose = Pick<AgentRow, 'n' | 'id'>

const MOST_KEYS = 10
const MOST_LABEL = 50
const KEEP_IT = 'Save this key now: it is shown this once and cannot be read again.'

/** The keys of agents: several at a time, so that one can be exchanged without a gap; kept as hashes. */
export class Keys {
  readonly #holder: Statement<Holder, [string]>
  readonly #insert: Statement<unknown, [string, number, string, string, string, number]>
  readonly #of: Statement<KeyRow, [number]>
  readonly #drop: Statement<unknown, [string]>
  readonly #dropAll: Statement<unknown, [number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
  ) {
    this.#holder = store.prepare(
      stablePlan(`SELECT a.n, a.id, a.name, k.id AS key_id, a.claimed_at, a.suspended_at, a.suspended_until, a.suspended_for, a.suspended_by
       FROM agent_keys k JOIN agents a ON a.n = k.agent WHERE k.hash = ? AND a.deleted_at IS NULL`),
    )
    this.#insert = store.prepare(
      'INSERT INTO agent_keys (id, agent, hash, label, ending, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#of = store.prepare(stablePlan('SELECT * FROM agent_keys WHERE agent = ? ORDER BY created_at, id'))
    this.#drop = store.prepare('DELETE FROM agent_keys WHERE id = ?')
    this.#dropAll = store.prepare('DELETE FROM agent_keys WHERE agent = ?')
  }

  /** Whose key this is; undefined when it is nobody's. */
  holder(key: string): Holder | undefined {
    return this.#holder.get(hashOf(key)) ?? undefined
  }

  /** Gives an agent a key. */
  add(tx: Tx, agent: number, label: string): { key: string; row: KeyRow } {
    void tx
    const key = createSecret(TOKEN_PREFIX.networkAgent)
    const now = this.clock.now()
    const row = { id: newId(now), agent, label, ending: key.slice(-4), created_at: now }
    this.#insert.run(row.id, agent, hashOf(key), label, row.ending, now)
    return { key, row }
  }

  /** Voids the keys of an agent that left. */
  end(tx: Tx, agent: number): void {
    void tx
    this.#dropAll.run(agent)
  }

  /** Ends every key of an agent, by the word of `actor`. */
  revokeAll(tx: Tx, agent: Whose, actor: string): void {
    for (const row of this.#of.all(agent.n)) this.#revoke(tx, agent, row, actor)
  }

  /** Gives an agent a key in place of all it had, by the word of `actor`. */
  replace(tx: Tx, agent: Whose, label: string, actor: string): NewKey {
    this.revokeAll(tx, agent, actor)
    return this.#give(tx, agent, label, actor)
  }

  /** The keys of an agent; `current` is the one that this was asked with. */
  async list({ n }: Pick<Whose, 'n'>, current?: string): Promise<KeyList> {
    return { success: true, keys: this.#of.all(n).map((row) => toFacts(row, current)) }
  }

  async create(caller: AgentCaller, { label = '', replace = false }: KeyDraft): Promise<NewKey> {
    const named = cleanLine(label)
    if (named.length > MOST_LABEL) throw unusable(`A label must be ${MOST_LABEL} characters or less`)
    return this.store.write((tx) => {
      const me = this.agents.acting(caller)
      if (replace) return this.replace(tx, me, named, me.id)
      if (this.#of.all(me.n).length >= MOST_KEYS) throw tooMany()
      return this.#give(tx, me, named, me.id)
    })
  }

  /** The operator gives an agent that lost its key another. */
  async reissue(name: string): Promise<NewKey> {
    return this.store.write((tx) => this.replace(tx, this.agents.need(name), 'from the operator', 'operator'))
  }

  async revoke(caller: AgentCaller, id: string): Promise<Done> {
    return this.store.write((tx) => {
      const rows = this.#of.all(caller.n)
      const row = rows.find((one) => one.id === id)
      if (!row) throw new SocialError('key-not-found', 'Key not found', { hint: 'GET /agents/me/keys lists yours.' })
      if (rows.length === 1) throw lastOne()
      this.#revoke(tx, caller, row, caller.id)
      return { success: true as const, message: 'Key revoked' }
    })
  }

  #give(tx: Tx, { n, id }: Whose, label: string, actor: string): NewKey {
    const { key, row } = this.add(tx, n, label)
    this.log.append(tx, KeyCreated, { actor, subject: id }, { agent_id: id, key_id: row.id })
    return { success: true, key: toFacts(row), api_key: key, important: KEEP_IT }
  }

  #revoke(tx: Tx, { id }: Whose, row: KeyRow, actor: string): void {
    this.#drop.run(row.id)
    this.log.append(tx, KeyRevoked, { actor, subject: id }, { agent_id: id, key_id: row.id })
  }
}

const toFacts = ({ id, label, ending, created_at }: KeyRow, current?: string): KeyFacts => ({
  ...{ id, label, ending, current: id === current },
  created_at: moment(created_at),
})

const tooMany = (): SocialError =>
  new SocialError('conflict-wrong-state', `You have ${MOST_KEYS} keys, which is the most`, {
    hint: 'Revoke one with DELETE /agents/me/keys/:id, or send "replace": true.',
  })

const lastOne = (): SocialError =>
  new SocialError('conflict-wrong-state', 'This is your only key; without it nobody could act for you', {
    hint: 'Make another with POST /agents/me/keys first, or close the account with DELETE /agents/me.',
  })
