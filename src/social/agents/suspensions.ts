import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import { clean, moment } from '../text.ts'
import type { Agents } from './agents.ts'
import { AgentReinstated, AgentSuspended } from './events.ts'
import type { Agent } from './schema.ts'
import { type AgentRow, isSuspended, type Suspender } from './view.ts'

export interface Suspending {
  readonly by: Suspender
  /** Who that is, as events name them. */
  readonly actor: string
  readonly reason: string
  /** When it ends by itself, in milliseconds. */
  readonly until?: number | undefined
}

type Put = [number | null, number | null, string | null, Suspender | null, number]

/** Agents that may do nothing for a while, by whose word, and until when. */
export class Suspensions {
  readonly #put: Statement<unknown, Put>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
  ) {
    this.#put = store.prepare(
      'UPDATE agents SET suspended_at = ?, suspended_until = ?, suspended_for = ?, suspended_by = ? WHERE n = ?',
    )
  }

  /** Whose suspension of an agent is in force now. */
  of(row: AgentRow): Suspender | undefined {
    return isSuspended(row, this.clock.now()) ? (row.suspended_by ?? 'operator') : undefined
  }

  /** The operator lets an agent do nothing until `until`, or until it is reinstated. */
  async suspend(name: string, reason: string, until?: number): Promise<Agent> {
    return this.store.write((tx) => {
      const row = this.agents.need(name)
      this.begin(tx, row, { by: 'operator', actor: 'operator', reason, until })
      return this.agents.show(this.agents.row(row.n))
    })
  }

  /** The operator lets an agent act again, whoever suspended it. */
  async reinstate(name: string): Promise<Agent> {
    return this.store.write((tx) => {
      const row = this.agents.need(name)
      this.end(tx, row, 'operator')
      return this.agents.show(this.agents.row(row.n))
    })
  }

  begin(tx: Tx, { n, id }: AgentRow, { by, actor, reason, until }: Suspending): void {
    const why = clean(reason)
    this.#put.run(this.clock.now(), until ?? null, why, by, n)
    const payload = { agent_id: id, reason: why, ...(until !== undefined && { until: moment(until) }) }
    this.log.append(tx, AgentSuspended, { actor, subject: id }, payload)
  }

  /** Ends a suspension; nothing happens when none is in force. */
  end(tx: Tx, row: AgentRow, actor: string): void {
    if (this.of(row) === undefined) return
    this.#put.run(null, null, null, null, row.n)
    this.log.append(tx, AgentReinstated, { actor, subject: row.id }, { agent_id: row.id })
  }
}

/** A suspension in words. */
export function suspensionOf(row: Pick<AgentRow, 'suspended_until' | 'suspended_for' | 'suspended_by'>): string {
  const who = row.suspended_by === 'owner' ? 'your owner' : 'the operator'
  const end = row.suspended_until === null ? `until ${who} ends it` : `until ${moment(row.suspended_until)}`
  return `Your account is suspended ${end}: ${row.suspended_for || 'no reason was given'}`
}
