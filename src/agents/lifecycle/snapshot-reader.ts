import { createHash } from 'node:crypto'
import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import { findDependency } from '../../config/resolve/dependencies.ts'
import type { Suspensions } from '../../config/suspensions/suspensions.ts'
import type { HostedSession } from '../../host/protocol/session.ts'
import { workNamesOf } from '../sessions/metadata.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SessionRow } from '../sessions/table.ts'
import { DriftCache } from './drift-cache.ts'
import type { IdleBackoff } from './idle-backoff.ts'
import type {
  AgentState,
  CitySnapshot,
  NamedSessionState,
  ProcessState,
  ScopeState,
  SessionSnapshot,
} from './snapshot.ts'

/** What the survey has to look at. */
export interface Ground {
  config: Pick<Config, 'current'>
  suspensions: Pick<Suspensions, 'isSuspended'>
  /** Whether a budget that an agent is under is used up, and why. */
  budgets?: { blocks(agent: AgentConfig): string | undefined; onChange(hear: () => void): () => void }
  sessions: Sessions
}

/** Brings together what a plan depends on: configuration, rows, work, and what the host runs. */
export class SnapshotReader {
  /** Since when sessions have had nothing to do, by a clock that has not been set since; lost on a restart, which only makes them wait once more. */
  readonly #quiet = new Map<string, number>()
  readonly #drifts = new DriftCache()

  constructor(
    private readonly ground: Ground,
    private readonly lulls: Pick<IdleBackoff, 'until'>,
    /** How many sessions an agent's scale check asks for. */
    private readonly scaled: (agent: string) => number,
  ) {}

  read(
    now: number,
    hosted: readonly HostedSession[] | undefined,
    wakes: number,
    busy: (id: string) => boolean,
  ): CitySnapshot {
    const { config, sessions } = this.ground
    const { current } = config
    const rows = [...sessions.parts.book.live(), ...sessions.parts.book.closedWithProcess()]
    const waiting = sessions.parts.messages.waiting()
    this.#forget(rows)
    return {
      now,
      city: this.#scope('city', '', current.workspace.suspendedOnStart, current.workspace.maxActive),
      wakes,
      chat: { idle: current.chat.idleTimeout, grace: current.chat.gracePeriod },
      rigs: this.#rigs(current),
      agents: this.#agents(current, rows),
      named: current.namedSessions.map(toNamed),
      sessions: rows.map((row) => this.#session(now, row, waiting.get(row.id) ?? 0, busy(row.id))),
      hosted: hosted && new Map(hosted.map((process) => [process.key, toHosted(process)])),
    }
  }

  /** The clock was set, or the machine slept: how long sessions have been quiet is counted anew. */
  resetQuietTimes(): void {
    this.#quiet.clear()
  }

  /** Notes when processes last showed something. */
  recordOutput(hosted: readonly HostedSession[]): void {
    const { book, live } = this.ground.sessions.parts
    for (const { key, lastOutputAt } of hosted) {
      const row = lastOutputAt === undefined ? undefined : book.findByHostKey(key)
      if (row && lastOutputAt !== undefined) live.recordOutput(row.id, Date.parse(lastOutputAt))
    }
  }

  #scope(kind: 'city' | 'rig', name: string, declared: boolean, maxActive: number | undefined): ScopeState {
    return { suspended: this.ground.suspensions.isSuspended(kind, name, declared), maxActive }
  }

  #rigs(current: CityConfig): Map<string, ScopeState> {
    return new Map(
      current.rigs.map((rig) => [rig.name, this.#scope('rig', rig.name, rig.suspendedOnStart, rig.maxActive)]),
    )
  }

  #agents(current: CityConfig, rows: readonly SessionRow[]): AgentState[] {
    const { troubles } = this.ground.sessions.parts
    const beads = troubles.all('bead')
    const agents = troubles.all('agent')
    const staffed = new Set(rows.map(({ template }) => template))
    const always = new Set(current.namedSessions.map(({ template }) => template))
    return current.agents.map((agent) => {
      const demand = this.#demand(agent, beads)
      const looked =
        demand.length > 0 || agent.minActive > 0 || staffed.has(agent.qualified) || always.has(agent.qualified)
      return {
        ...this.#agent(agent, demand),
        dependsOn: agent.dependsOn.flatMap((name) => findDependency(agent, name, current.agents)?.qualified ?? []),
        problem: looked ? this.ground.sessions.parts.launcher.problem(agent) : undefined,
        retryAt: agents.get(agent.qualified)?.until ?? 0,
        lullUntil: this.lulls.until(agent.qualified),
      }
    })
  }

  #demand(agent: AgentConfig, troubles: ReadonlyMap<string, { deaths: number; until: number }>): AgentState['demand'] {
    return this.ground.sessions.parts.workload.unassignedFor(agent.qualified).map((bead) => {
      const trouble = troubles.get(bead)
      return { bead, deaths: trouble?.deaths ?? 0, until: trouble?.until ?? 0 }
    })
  }

  #agent(
    agent: AgentConfig,
    demand: AgentState['demand'],
  ): Omit<AgentState, 'problem' | 'retryAt' | 'lullUntil' | 'dependsOn'> {
    return {
      name: agent.qualified,
      rig: agent.dir ?? '',
      suspended: this.ground.suspensions.isSuspended('agent', agent.qualified, agent.suspended),
      blocked: this.ground.budgets?.blocks(agent) !== undefined,
      minActive: agent.minActive,
      maxActive: agent.maxActive,
      drainTimeout: agent.drainTimeout,
      driftDrainTimeout: this.ground.config.current.daemon.driftDrainTimeout,
      sleepAfterIdle: agent.sleepAfterIdle,
      idleTimeout: agent.idleTimeout,
      maxAge: agent.maxSessionAge,
      maxAgeJitter: agent.maxSessionAgeJitter ?? 0,
      scaled: agent.scaleCheck === undefined ? 0 : this.scaled(agent.qualified),
      demand,
    }
  }

  #session(now: number, row: SessionRow, messages: number, busy: boolean): SessionSnapshot {
    const { workload, live, launcher, conversations } = this.ground.sessions.parts
    const work = workload.assignedTo(workNamesOf(row)).map(({ id }) => id)
    const attached = live.isAttached(row.id)
    const inTurn = row.hostKey !== null && conversations.usesAcp(row.hostKey) && conversations.isInTurn(row.hostKey)
    return {
      ...toSession(row),
      work,
      messages,
      attached,
      quietSince: this.#quietSince(now, row, work.length > 0 || messages > 0 || attached || inTurn),
      drift: row.state === 'active' ? this.#drifts.driftOf(row, this.ground.config.current, launcher) : [],
      busy,
    }
  }

  #quietSince(now: number, row: SessionRow, occupied: boolean): number {
    if (occupied || !this.#quiet.has(row.id)) this.#quiet.set(row.id, now)
    const shown = this.ground.sessions.parts.live.lastOutput(row.id) ?? 0
    return Math.max(this.#quiet.get(row.id) ?? now, ...[shown, row.wokeAt ?? 0].filter((moment) => moment <= now))
  }

  #forget(rows: readonly SessionRow[]): void {
    if (this.#quiet.size <= rows.length) return
    const live = new Set(rows.map(({ id }) => id))
    for (const id of this.#quiet.keys()) if (!live.has(id)) this.#quiet.delete(id)
  }
}

const toNamed = (named: CityConfig['namedSessions'][number]): NamedSessionState => ({
  name: named.qualified,
  agent: named.template,
  mode: named.mode,
})

const toSession = (
  row: SessionRow,
): Omit<SessionSnapshot, 'work' | 'messages' | 'attached' | 'quietSince' | 'drift' | 'busy'> => ({
  id: row.id,
  agent: row.kind === 'agent' ? row.template : '',
  origin: row.origin,
  named: row.named ?? undefined,
  slot: row.slot ?? undefined,
  state: row.state,
  reason: row.reason,
  key: row.hostKey ?? undefined,
  pid: row.pid ?? undefined,
  processStarted: row.processStarted ?? undefined,
  wokeAt: row.wokeAt ?? 0,
  drainAt: row.drainAt ?? 0,
  retryAt: row.retryAt ?? 0,
  quarantinedUntil: row.quarantinedUntil ?? 0,
  failures: row.failures,
  churn: row.churn,
  wanted: row.wakeRequestedAt !== null,
  madeFor: row.work || undefined,
  untouched: false,
  scaled: row.work === '',
  resumed: row.resumed,
  heldUntil: 0,
  busyUntil: row.busyUntil ?? 0,
  luck: luckOf(row.hostKey ?? row.id),
})

/** A number from 0 to 1 that stays with one run of a session. */
const luckOf = (key: string): number => createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32

function toHosted({ key, pid, startedAt, state, exitCode, signal }: HostedSession): ProcessState {
  if (state !== 'exited') return { key, pid, startedAt, exit: undefined }
  if (signal !== undefined) return { key, pid, startedAt, exit: { how: 'signalled', signal } }
  return { key, pid, startedAt, exit: { how: 'exited', ...(exitCode !== undefined && { code: exitCode }) } }
}
