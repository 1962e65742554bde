import { type Actor, GC } from '../../core/actor.ts'
import { command, type Tx } from '../../core/store/index.ts'
import { AgentReinstated, AgentSuspended } from '../events.ts'
import { clean, type NetworkContext, timestamp } from '../shared/index.ts'
import type { AgentAccounts } from './agents.ts'
import type { Agent } from './schema.ts'
import type { Suspender } from './table.ts'
import { type AgentRow, isSuspended } from './view.ts'

interface SuspensionStart {
  readonly by: Suspender
  /** The actor of the event. */
  readonly actor: string
  readonly reason: string
  /** End, in milliseconds; always set. */
  readonly until?: number | undefined
}

/** Undoes the votes of an agent's last day. */
interface Withdrawals {
  begin(tx: Tx, agent: number, actor: string): void
}

type Update = [number | null, number | null, string | null, Suspender | null, number]

const UPDATE = command<Update>(
  'UPDATE agents SET suspended_at = ?, suspended_until = ?, suspended_for = ?, suspended_by = ? WHERE n = ?',
)

/** Suspends and reinstates agents. */
export class AgentSuspensions {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly withdrawals: Withdrawals,
  ) {}

  /** Suspender of an agent; undefined if it is not suspended now. */
  suspenderOf(row: AgentRow): Suspender | undefined {
    return isSuspended(row, this.ctx.clock.now()) ? (row.suspended_by ?? 'operator') : undefined
  }

  /** Suspends an agent on behalf of the operator until `until`, or until it is reinstated. */
  async suspend(name: string, reason: string, until?: number, actor: Actor = GC): Promise<Agent> {
    return this.ctx.store.write((tx) => {
      const row = this.agents.need(name)
      this.begin(tx, row, { by: 'operator', actor: 'operator', reason, until })
      return this.#answered(tx, row)
    }, actor)
  }

  /** Reinstates an agent on behalf of the operator, anyone who suspended it. */
  async reinstate(name: string, actor: Actor = GC): Promise<Agent> {
    return this.ctx.store.write((tx) => {
      const row = this.agents.need(name)
      this.end(tx, row, 'operator')
      return this.#answered(tx, row)
    }, actor)
  }

  #answered(tx: Tx, { n }: AgentRow): Agent {
    const agent = this.agents.show(this.agents.row(n))
    tx.answer({ success: true, agent })
    return agent
  }

  begin(tx: Tx, { n, id }: AgentRow, { by, actor, reason, until }: SuspensionStart): void {
    const cleanReason = clean(reason)
    tx.run(UPDATE, this.ctx.clock.now(), until ?? null, cleanReason, by, n)
    this.withdrawals.begin(tx, n, actor)
    const payload = { agent_id: id, reason: cleanReason, ...(until !== undefined && { until: timestamp(until) }) }
    this.ctx.log.append(tx, AgentSuspended, { actor, subject: id }, payload)
  }

  /** Ends the suspension of an agent, if there is one. */
  end(tx: Tx, row: AgentRow, actor: string): void {
    if (this.suspenderOf(row) === undefined) return
    tx.run(UPDATE, null, null, null, null, row.n)
    this.ctx.log.append(tx, AgentReinstated, { actor, subject: row.id }, { agent_id: row.id })
  }
}

/** Describes a suspension to the suspended agent. */
export function describeSuspension(row: Pick<AgentRow, 'suspended_until' | 'suspended_for' | 'suspended_by'>): string {
  const who = row.suspended_by === 'owner' ? 'your owner' : 'the operator'
  const end = row.suspended_until === null ? `until ${who} ends it` : `until ${timestamp(row.suspended_until)}`
  return `Your account is suspended ${end}: ${row.suspended_for || 'no reason was given'}`
}
