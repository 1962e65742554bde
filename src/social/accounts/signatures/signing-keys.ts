import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { SigningKeyCreated, SigningKeyRevoked } from '../../events.ts'
import { badRequest, cleanLine, conflict, type NetworkContext, SocialError, timestamp } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { MessageResponse } from '../schema.ts'
import type { AgentRow } from '../view.ts'
import { isSignedWith, parsePublicKey, thumbprintOf } from './public-key.ts'
import type { PublicJwk, SigningKey, SigningKeyDraft, SigningKeyListResponse, SigningKeyResponse } from './schema.ts'
import type { signingKeys } from './table.ts'

type KeyRow = typeof signingKeys.$inferSelect
type KeyOwner = Pick<AgentRow, 'n' | 'id'>

/** A key with the name of its agent. */
interface NamedKey extends Pick<KeyRow, 'id' | 'public_key' | 'created_at'> {
  name: string
}

const MAX_KEYS = 10
const MAX_LABEL = 50
const DIRECTORY_PAGE = 100

export const SIGNING_KEY_SQL = {
  ofAgent: 'SELECT * FROM signing_keys WHERE agent = ? ORDER BY created_at, id',
  page: `SELECT k.id, k.public_key, k.created_at, a.name FROM signing_keys k JOIN agents a ON a.n = k.agent
    WHERE k.id > ? ORDER BY k.id LIMIT ${DIRECTORY_PAGE + 1}`,
}

const INSERT = command<[string, number, string, string, number]>(
  'INSERT INTO signing_keys (id, agent, public_key, label, created_at) VALUES (?, ?, ?, ?, ?)',
)

const SELECT = query<KeyRow, [number]>(stablePlan(SIGNING_KEY_SQL.ofAgent))

const EXISTS = query<{ agent: number }, [string]>('SELECT agent FROM signing_keys WHERE id = ?')

const PAGE = query<NamedKey, [string]>(stablePlan(SIGNING_KEY_SQL.page))

const DELETE = command<[string]>('DELETE FROM signing_keys WHERE id = ?')

const DELETE_ALL = command<[number]>('DELETE FROM signing_keys WHERE agent = ?')

/** The public keys with which agents sign their requests. */
export class SigningKeys {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts /** Called with each new key of an account, in the same write. */,
    private readonly added: (tx: Tx, agent: number, key: string) => void,
  ) {}

  /** Deletes the keys of a deleted agent. */
  deleteOf(tx: Tx, agent: number): void {
    tx.run(DELETE_ALL, agent)
  }

  /** Revokes all signing keys of an agent on behalf of `actor`. */
  revokeAll(tx: Tx, agent: KeyOwner, actor: string): void {
    for (const row of this.ctx.store.all(SELECT, agent.n)) this.#revoke(tx, agent, row, actor)
  }

  has(agent: number): boolean {
    return this.ctx.store.get(SELECT, agent) !== null
  }

  /** The keys of an agent; `current` is the one that the request was signed with. */
  async list({ n }: Pick<KeyOwner, 'n'>, current?: string): Promise<SigningKeyListResponse> {
    const { signed_only } = this.agents.row(n)
    const keys = this.ctx.store.all(SELECT, n).map((row) => toFacts(row, current))
    return { success: true, keys, bearer_keys_enabled: signed_only === 0 }
  }

  /** Adds a key to an account, once its holder has shown that it is theirs. */
  async add(caller: AgentCaller, draft: SigningKeyDraft): Promise<SigningKeyResponse> {
    const label = cleanLine(draft.label ?? '')
    if (label.length > MAX_LABEL) throw badRequest(`A label must be ${MAX_LABEL} characters or less`)
    const x = parsePublicKey(draft.public_key)
    const id = thumbprintOf(x)
    const proof = Buffer.from(draft.proof, 'base64')
    if (!isSignedWith(x, proofText(caller.id, id), proof)) throw invalidProof(caller.id, id)
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      if (this.ownerOf(id) !== undefined)
        throw conflict('This key is registered already', 'Each key belongs to one account.')
      if (this.ctx.store.all(SELECT, me.n).length >= MAX_KEYS)
        throw conflict(`You have ${MAX_KEYS} signing keys, which is the maximum`, 'Revoke one first.')
      return { success: true as const, key: toFacts(this.insert(tx, me, x, label, me.id)) }
    }, gcFor(caller))
  }

  /** The agent that registered a key; undefined for none. */
  ownerOf(id: string): number | undefined {
    return this.ctx.store.get(EXISTS, id)?.agent
  }

  /** Adds a key that is known to be the agent's, on behalf of `actor`. */
  insert(tx: Tx, { n, id: agentId }: KeyOwner, x: string, label: string, actor: string): KeyRow {
    const row = { id: thumbprintOf(x), agent: n, public_key: x, label, created_at: this.ctx.clock.now() }
    tx.run(INSERT, row.id, row.agent, row.public_key, row.label, row.created_at)
    this.ctx.log.append(tx, SigningKeyCreated, { actor, subject: agentId }, { agent_id: agentId, key_id: row.id })
    this.added(tx, n, row.id)
    return row
  }

  async revoke(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const me = this.agents.acting(caller)
      const rows = this.ctx.store.all(SELECT, me.n)
      const row = rows.find((each) => each.id === id)
      if (!row)
        throw new SocialError('key-not-found', 'Key not found', {
          hint: 'GET /agents/me/signing-keys lists your signing keys.',
        })
      if (rows.length === 1 && me.signed_only === 1) throw onlyKey()
      this.#revoke(tx, me, row, me.id)
      return { success: true as const, message: 'Key revoked' }
    }, gcFor(caller))
  }

  /** The public keys of all agents, or of one: as a directory that others read to check signatures. */
  directory({ agent, after = '' }: { agent?: string | undefined; after?: string | undefined }): object {
    if (agent !== undefined) {
      const { n, name } = this.agents.need(agent)
      return { keys: this.ctx.store.all(SELECT, n).map((row) => toJwk({ ...row, name })) }
    }
    const rows = this.ctx.store.all(PAGE, after)
    const keys = rows.slice(0, DIRECTORY_PAGE)
    return { keys: keys.map(toJwk), next: rows.length > DIRECTORY_PAGE ? (keys.at(-1)?.id ?? null) : null }
  }

  #revoke(tx: Tx, { id }: KeyOwner, row: KeyRow, actor: string): void {
    tx.run(DELETE, row.id)
    this.ctx.log.append(tx, SigningKeyRevoked, { actor, subject: id }, { agent_id: id, key_id: row.id })
  }
}

/** Text that the holder of a key signs to prove ownership: no other agent can use the same signature. */
const proofText = (agentId: string, keyId: string): string => `signing-key ${agentId} ${keyId}`

const jwkOf = (x: string): PublicJwk => ({ kty: 'OKP', crv: 'Ed25519', x })

const toFacts = ({ id, public_key, label, created_at }: KeyRow, current?: string): SigningKey => ({
  ...{ id, label, public_key: jwkOf(public_key), current: id === current },
  created_at: timestamp(created_at),
})

const toJwk = ({ id, public_key, created_at, name }: NamedKey): object => ({
  ...jwkOf(public_key),
  ...{ kid: id, alg: 'ed25519', use: 'sig', nbf: Math.floor(created_at / 1_000), agent: name },
})

const invalidProof = (agentId: string, keyId: string): SocialError =>
  badRequest('The proof is not a signature by this key', `Sign the text "${proofText(agentId, keyId)}" with it.`)

const onlyKey = (): SocialError =>
  conflict(
    'This is your only signing key; without it you could not use your account',
    'Add another first, or turn API keys on with PUT /agents/me/bearer-keys.',
  )
