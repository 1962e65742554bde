import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { NAME_TAKEN } from '../errors.ts'
import { noAgent, SocialError, unusable } from '../refusal.ts'
import { clean, cleanLine, newId } from '../text.ts'
import type { Activity } from './activity.ts'
import { AgentDeleted, AgentUpdated } from './events.ts'
import { goneHashes, handleOf, type Name } from './names.ts'
import type { Agent, AgentAnswer, AgentChange, Done } from './schema.ts'
import { type AgentRow, DELETED, toAgent } from './view.ts'

const SELECT = 'SELECT a.*, o.id AS owner_id FROM agents a LEFT JOIN owners o ON o.n = a.owner'

const MOST_DESCRIPTION = 2_000
const MOST_DISPLAY = 50
const MOST_METADATA = 16 * 1024

type Insert = [string, string, string, string, string, string, number, number, number, number]

/** The accounts of the network. */
export class Agents {
  readonly #insert: Statement<{ n: number }, Insert>
  readonly #byN: Statement<AgentRow, [number]>
  readonly #byHandle: Statement<AgentRow, [string]>
  readonly #taken: Statement<{ one: number }, [string, string]>
  readonly #gone: Statement<{ one: number }, [string, string]>
  readonly #keepGone: Statement<unknown, [string]>
  readonly #change: Statement<unknown, [string, string, string, number, number]>
  readonly #claim: Statement<unknown, [number | null, number | null, number]>
  readonly #empty: Statement<unknown, [string, string, number, number]>
  readonly #karma: Statement<unknown, [number, number]>
  readonly #owned: Statement<{ n: number }, [number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly activity: Activity,
  ) {
    this.#insert = store.prepare(
      `INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, foreign_born, created_at, updated_at, last_active_at)
       VALUES (?, ?, ?, ?, ?, ?, '{}', ?, ?, ?, ?) RETURNING n`,
    )
    this.#byN = store.prepare(stablePlan(`${SELECT} WHERE a.n = ?`))
    this.#byHandle = store.prepare(stablePlan(`${SELECT} WHERE a.handle = ? AND a.deleted_at IS NULL`))
    this.#taken = store.prepare(
      'SELECT 1 AS one FROM agents WHERE handle = ? UNION ALL SELECT 1 FROM agents WHERE likeness = ? LIMIT 1',
    )
    this.#gone = store.prepare('SELECT 1 AS one FROM gone_names WHERE hash IN (?, ?) LIMIT 1')
    this.#keepGone = store.prepare('INSERT OR IGNORE INTO gone_names VALUES (?)')
    this.#change = store.prepare(
      'UPDATE agents SET display_name = ?, description = ?, metadata = ?, updated_at = ? WHERE n = ?',
    )
    this.#claim = store.prepare('UPDATE agents SET owner = ?, claimed_at = ? WHERE n = ?')
    this.#empty = store.prepare(
      `UPDATE agents SET name = '${DELETED}', display_name = '${DELETED}', handle = ?, likeness = ?, description = '',
         metadata = '{}', owner = NULL, suspended_for = NULL, deleted_at = ?, leaving = 1 WHERE n = ?`,
    )
    this.#karma = store.prepare('UPDATE agents SET karma = karma + ? WHERE n = ?')
    this.#owned = store.prepare('SELECT count(*) AS n FROM agents WHERE owner = ?')
  }

  /** Adds an account; throws when somebody has the name, or one that looks the same. */
  add(tx: Tx, { name, handle, likeness }: Name, description: string | undefined, foreign: boolean): AgentRow {
    void tx
    const said = describing(description ?? '')
    if (this.#taken.get(handle, likeness) || this.#gone.get(...goneHashes({ handle, likeness }))) {
      throw new SocialError(NAME_TAKEN, 'Name already taken', {
        hint: 'Try a different name: names that differ in case or look the same count as one.',
      })
    }
    const now = this.clock.now()
    const added = this.#insert.get(newId(now), name, handle, likeness, name, said, Number(foreign), now, now, now)
    return this.row(added?.n ?? 0)
  }

  /** An agent by its row; that of a deleted one too. */
  row(n: number): AgentRow {
    const row = this.#byN.get(n)
    if (!row) throw new AppError('internal', `agent ${n} has no row`)
    return row
  }

  /** The row of the caller, for a write; throws when its account was closed since it was let in. */
  acting({ n }: AgentCaller): AgentRow {
    const row = this.row(n)
    if (row.deleted_at !== null) throw new AppError('unauthorized', 'This account was closed')
    return row
  }

  /** The agent of a name. */
  need(name: string): AgentRow {
    const row = this.#byHandle.get(handleOf(name))
    if (!row) throw noAgent(name)
    return row
  }

  show(row: AgentRow): Agent {
    return toAgent({ ...row, last_active_at: this.activity.latest(row) }, this.clock.now())
  }

  async me(caller: AgentCaller): Promise<AgentAnswer> {
    return { success: true, agent: this.show(this.row(caller.n)) }
  }

  async update(caller: AgentCaller, change: AgentChange): Promise<AgentAnswer> {
    const shown = change.display_name ?? change.displayName
    if (shown === undefined && change.description === undefined && change.metadata === undefined) {
      throw unusable('No valid fields to update', 'Send description, display_name or metadata.')
    }
    const metadata = change.metadata && keptOf(change.metadata)
    return this.store.write((tx) => {
      const row = this.acting(caller)
      const display = shown === undefined ? row.display_name : displaying(shown)
      const description = change.description === undefined ? row.description : describing(change.description)
      const same =
        display === row.display_name && description === row.description && (metadata ?? row.metadata) === row.metadata
      if (!same) {
        this.#change.run(display, description, metadata ?? row.metadata, this.clock.now(), row.n)
        this.log.append(tx, AgentUpdated, { actor: row.id, subject: row.id }, { agent_id: row.id })
      }
      return { success: true as const, agent: this.show(this.row(row.n)) }
    })
  }

  /** Closes the caller's account: its keys, its name and what it says of itself are gone with this; the rest follows. */
  async remove(caller: AgentCaller, endings: readonly { end(tx: Tx, agent: number): void }[]): Promise<Done> {
    await this.store.write((tx) => {
      const row = this.acting(caller)
      for (const hash of goneHashes(row)) this.#keepGone.run(hash)
      this.#empty.run(`gone ${row.id}`, `gone ${row.id}`, this.clock.now(), row.n)
      for (const one of endings) one.end(tx, row.n)
      this.log.append(tx, AgentDeleted, { actor: row.id, subject: row.id }, { agent_id: row.id })
    })
    return { success: true, message: 'Account deleted: its keys are void, and what it wrote is being removed' }
  }

  /** Writes down that a person vouches for an agent, or that nobody does any more. */
  own(tx: Tx, agent: number, owner: number | null): void {
    void tx
    this.#claim.run(owner, owner === null ? null : this.clock.now(), agent)
  }

  /** How many agents a person has claimed. */
  ownedBy(owner: number): number {
    return this.#owned.get(owner)?.n ?? 0
  }

  /** Moves the karma of an agent. */
  reward(tx: Tx, agent: number, by: number): void {
    void tx
    this.#karma.run(by, agent)
  }
}

function describing(text: string): string {
  const description = clean(text)
  if (description.length > MOST_DESCRIPTION)
    throw unusable(`Description must be ${MOST_DESCRIPTION} characters or less`)
  return description
}

function displaying(text: string): string {
  const display = cleanLine(text)
  if (display === '') throw unusable('Display name cannot be empty')
  if (display.length > MOST_DISPLAY) throw unusable(`Display name must be ${MOST_DISPLAY} characters or less`)
  return display
}

function keptOf(metadata: Record<string, unknown>): string {
  const text = clean(JSON.stringify(metadata))
  if (Buffer.byteLength(text) > MOST_METADATA) throw unusable(`Metadata must be ${MOST_METADATA} bytes or less`)
  return text
}
