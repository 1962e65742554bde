import { AppError } from '../../core/errors.ts'
import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { AgentDeleted, AgentUpdated } from '../events.ts'
import {
  agentNotFound,
  badRequest,
  clean,
  cleanLine,
  NAME_TAKEN,
  type NetworkContext,
  newId,
  rejectSecrets,
  SocialError,
} from '../shared/index.ts'
import type { LastActivity } from './activity.ts'
import { goneHashes, handleOf, looksOfficial, type Name } from './names.ts'
import type { AccountResponse, Agent, MessageResponse, ProfileUpdate } from './schema.ts'
import { type AgentRow, DELETED, toNetworkAgent } from './view.ts'

const SELECT = 'SELECT a.*, o.id AS owner_id FROM agents a LEFT JOIN owners o ON o.n = a.owner'

const MAX_DESCRIPTION = 2_000
const MAX_DISPLAY_NAME = 50
const MAX_METADATA = 16 * 1024

type Insert = [string, string, string, string, string, string, number, number, number, number]

/** Data that is deleted in the same write as its account. */
export interface DeletedWithAccount {
  deleteOf(tx: Tx, agent: number): void
}

const INSERT = command<
  Insert,
  { n: number }
>(`INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, foreign_born, created_at, updated_at, last_active_at)
       VALUES (?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?) RETURNING n`)

const BY_N = query<AgentRow, [number]>(stablePlan(`${SELECT} WHERE a.n = ?`))

const BY_HANDLE = query<AgentRow, [string]>(stablePlan(`${SELECT} WHERE a.handle = ? AND a.deleted_at IS NULL`))

const BY_ID = query<AgentRow, [string]>(stablePlan(`${SELECT} WHERE a.id = ? AND a.deleted_at IS NULL`))

const IS_TAKEN = query<{ one: number }, [string, string]>(
  'SELECT 1 AS one FROM agents WHERE handle = ? UNION ALL SELECT 1 FROM agents WHERE likeness = ? LIMIT 1',
)

const IS_GONE = query<{ one: number }, [string, string]>('SELECT 1 AS one FROM gone_names WHERE hash IN (?, ?) LIMIT 1')

const INSERT_GONE_NAME = command<[string]>('INSERT OR IGNORE INTO gone_names VALUES (?)')

const UPDATE = command<[string, string, string, number, number]>(
  'UPDATE agents SET display_name = ?, description = ?, metadata = ?, updated_at = ? WHERE n = ?',
)

const SET_OWNER = command<[number | null, number | null, number]>(
  'UPDATE agents SET owner = ?, claimed_at = ? WHERE n = ?',
)

const DELETE = command<
  [string, string, number, number]
>(`UPDATE agents SET name = '${DELETED}', display_name = '${DELETED}', handle = ?, likeness = ?, description = '',
         metadata = '{}', owner = NULL, suspended_for = NULL, deleted_at = ?, leaving = 1 WHERE n = ?`)

const ADD_KARMA = command<[number, number]>('UPDATE agents SET karma = karma + ? WHERE n = ?')

const COUNT_OWNED = query<{ n: number }, [number]>('SELECT count(*) AS n FROM agents WHERE owner = ?')

/** The accounts of the network. */
export class AgentAccounts {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly activity: LastActivity,
  ) {}

  /** Creates an account; throws when the name, or one that looks the same, is taken. */
  add(tx: Tx, { name, handle, likeness }: Name, description: string | undefined, isForeign: boolean): AgentRow {
    const cleaned = parseDescription(description ?? '')
    if (
      this.ctx.store.get(IS_TAKEN, handle, likeness) ||
      this.ctx.store.get(IS_GONE, ...goneHashes({ handle, likeness }))
    ) {
      throw new SocialError(NAME_TAKEN, 'Name already taken', {
        hint: 'Try a different name. Names that differ only in case, or that look alike, count as the same.',
      })
    }
    const now = this.ctx.clock.now()
    const inserted = tx.get(
      INSERT,
      ...([newId(now), name, handle, likeness, name, cleaned, Number(isForeign), now, now, now] as const),
    )
    return this.row(inserted?.n ?? 0)
  }

  /** The row of an agent, deleted or not. */
  row(n: number): AgentRow {
    const row = this.ctx.store.get(BY_N, n)
    if (!row) throw new AppError('internal', `agent ${n} has no row`)
    return row
  }

  /** The row of the caller, for a write; throws when its account was deleted since the request was admitted. */
  acting({ n }: AgentCaller): AgentRow {
    const row = this.row(n)
    if (row.deleted_at !== null) throw new AppError('unauthorized', 'This account was deleted')
    return row
  }

  /** The agent with a name; undefined when there is none. */
  find(name: string): AgentRow | undefined {
    return this.ctx.store.get(BY_HANDLE, handleOf(name)) ?? undefined
  }

  findById(id: string): AgentRow | undefined {
    return this.ctx.store.get(BY_ID, id) ?? undefined
  }

  /** The agent with a name; throws when there is none. */
  need(name: string): AgentRow {
    const row = this.find(name)
    if (!row) throw agentNotFound(name)
    return row
  }

  show(row: AgentRow): Agent {
    return toNetworkAgent({ ...row, last_active_at: this.activity.latest(row) }, this.ctx.clock.now())
  }

  async me(caller: AgentCaller): Promise<AccountResponse> {
    return { success: true, agent: this.show(this.row(caller.n)) }
  }

  async update(caller: AgentCaller, change: ProfileUpdate): Promise<AccountResponse> {
    const newDisplayName = change.display_name ?? change.displayName
    if (newDisplayName === undefined && change.description === undefined && change.metadata === undefined) {
      throw badRequest('No valid fields to update', 'Send description, display_name or metadata.')
    }
    const metadata = change.metadata && serializeMetadata(change.metadata)
    return this.ctx.store.write((tx) => {
      const row = this.acting(caller)
      const displayName = newDisplayName === undefined ? row.display_name : parseDisplayName(newDisplayName)
      const description = change.description === undefined ? row.description : parseDescription(change.description)
      const isSame =
        displayName === row.display_name &&
        description === row.description &&
        (metadata ?? row.metadata) === row.metadata
      if (!isSame) {
        tx.run(UPDATE, displayName, description, metadata ?? row.metadata, this.ctx.clock.now(), row.n)
        this.ctx.log.append(tx, AgentUpdated, { actor: row.id, subject: row.id }, { agent_id: row.id })
      }
      return { success: true as const, agent: this.show(this.row(row.n)) }
    }, gcFor(caller))
  }

  /** Deletes the caller's account with its name and profile, and what else is deleted immediately. */
  async delete(caller: AgentCaller, others: readonly DeletedWithAccount[]): Promise<MessageResponse> {
    await this.ctx.store.write((tx) => {
      const row = this.acting(caller)
      for (const hash of goneHashes(row)) tx.run(INSERT_GONE_NAME, hash)
      tx.run(DELETE, `gone ${row.id}`, `gone ${row.id}`, this.ctx.clock.now(), row.n)
      for (const other of others) other.deleteOf(tx, row.n)
      this.ctx.log.append(tx, AgentDeleted, { actor: row.id, subject: row.id }, { agent_id: row.id })
    }, gcFor(caller))
    return {
      success: true,
      message: 'Account deleted: your keys are revoked, and your posts and comments are being deleted',
    }
  }

  /** Sets the owner of an agent; null for none. */
  setOwner(tx: Tx, agent: number, owner: number | null): void {
    tx.run(SET_OWNER, owner, owner === null ? null : this.ctx.clock.now(), agent)
  }

  /** Number of agents that a person owns. */
  countOwnedBy(owner: number): number {
    return this.ctx.store.get(COUNT_OWNED, owner)?.n ?? 0
  }

  addKarma(tx: Tx, agent: number, by: number): void {
    tx.run(ADD_KARMA, by, agent)
  }
}

function parseDescription(text: string): string {
  const description = clean(text)
  if (description.length > MAX_DESCRIPTION)
    throw badRequest(`Description must be ${MAX_DESCRIPTION} characters or less`)
  rejectSecrets(text)
  return description
}

function parseDisplayName(text: string): string {
  const displayName = cleanLine(text)
  if (displayName === '') throw badRequest('Display name cannot be empty')
  if (displayName.length > MAX_DISPLAY_NAME)
    throw badRequest(`Display name must be ${MAX_DISPLAY_NAME} characters or less`)
  if (looksOfficial(displayName)) throw badRequest('This display name is reserved', 'Try a different name.')
  return displayName
}

function serializeMetadata(metadata: Record<string, unknown>): string {
  const text = clean(JSON.stringify(metadata))
  if (Buffer.byteLength(text) > MAX_METADATA) throw badRequest(`Metadata must be ${MAX_METADATA} bytes or less`)
  return text
}
