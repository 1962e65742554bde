import { createHash } from 'node:crypto'
import { type AgentConfig, findDependency } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import type { HostedSession } from '../../../host/protocol/index.ts'
import {
  type MessageQueue,
  type SessionRepository,
  type SessionRow,
  type Workload,
  workNamesOf,
} from '../../../work/sessions/index.ts'
import type { AcpConversations, SessionActivity } from '../../conversations/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import type { Logins } from '../../limits/index.ts'
import type { Questions } from '../../questions/index.ts'
import type { Budgets } from '../../usage/index.ts'
import type { FailureCounts } from './failure-counts.ts'
import type { IdleBackoff } from './idle-backoff.ts'
import type { ScaleChecks } from './scale-checks.ts'
import type {
  AgentState,
  CitySnapshot,
  NamedSessionState,
  ProcessState,
  ScopeState,
  SessionSnapshot,
} from './snapshot.ts'

export interface SnapshotReaderOptions {
  config: Pick<Config, 'current'>
  suspensions: Pick<Suspensions, 'isSuspended'>
  budgets: Pick<Budgets, 'blocks' | 'onChange'>
  repository: SessionRepository
  launchPlanner: LaunchPlanner
  workload: Workload
  activity: SessionActivity
  failures: FailureCounts
  logins: Pick<Logins, 'roomAt'>
  queue: Pick<MessageQueue, 'counts'>
  conversations: Pick<AcpConversations, 'usesAcp' | 'isInTurn'>
  questions: Pick<Questions, 'asking' | 'lastEnded'>
}

/** The state of the reconciler itself. */
interface ReconcilerState {
  now: number
  /** Sessions of this city on the host; undefined while unknown. */
  hosted: readonly HostedSession[] | undefined
  /** Number of sessions that may be started. */
  wakes: number
  isBusy(id: string): boolean
}

/** Reads everything that a plan depends on: configuration, rows, work, and what the host runs. */
export class SnapshotReader {
  /** Since when sessions have had nothing to do. Lost on a restart, after which they wait for as long once more. */
  readonly #quiet = new Map<string, number>()
  readonly #drifts = new DriftCache()

  constructor(
    private readonly options: SnapshotReaderOptions,
    private readonly idleBackoff: Pick<IdleBackoff, 'until'>,
    private readonly scaleChecks: Pick<ScaleChecks, 'desired'>,
  ) {}

  read({ now, hosted, wakes, isBusy }: ReconcilerState): CitySnapshot {
    const { config, repository, queue, questions } = this.options
    const { current } = config
    const rows = [...repository.live(), ...repository.closedWithProcess()]
    const messages = queue.counts()
    const asking = questions.asking()
    this.#forget(rows)
    return {
      now,
      city: {
        ...this.#scope('city', '', current.workspace.suspendedOnStart, current.workspace.maxActive),
        blocked: this.options.budgets.blocks({ qualified: '' }) !== undefined,
      },
      wakes,
      chat: { idle: current.chat.idleTimeout, grace: current.chat.gracePeriod },
      rigs: this.#rigs(current),
      agents: this.#agents(current, rows),
      named: current.namedSessions.map(toNamed),
      sessions: rows.map((row) =>
        this.#session(now, row, {
          messages: messages.get(row.id) ?? 0,
          busy: isBusy(row.id),
          asking: asking.has(row.id),
        }),
      ),
      hosted: hosted && new Map(hosted.map((process) => [process.key, toHosted(process)])),
    }
  }

  /** Restarts the measurement of quiet times, because the clock was changed. */
  resetQuietTimes(): void {
    this.#quiet.clear()
  }

  #scope(kind: 'city' | 'rig', name: string, declared: boolean, maxActive: number | undefined): ScopeState {
    return { suspended: this.options.suspensions.isSuspended(kind, name, declared), maxActive }
  }

  #rigs(current: CityConfig): Map<string, ScopeState> {
    return new Map(
      current.rigs.map((rig) => [rig.name, this.#scope('rig', rig.name, rig.suspendedOnStart, rig.maxActive)]),
    )
  }

  #agents(current: CityConfig, rows: readonly SessionRow[]): AgentState[] {
    const { failures } = this.options
    const beads = failures.all('bead')
    const agents = failures.all('agent')
    const withSessions = new Set(rows.map(({ template }) => template))
    const withNamed = new Set(current.namedSessions.map(({ template }) => template))
    return current.agents.map((agent) => {
      const demand = this.#demand(agent, rows, beads)
      const isUsed =
        demand.length > 0 || agent.minActive > 0 || withSessions.has(agent.qualified) || withNamed.has(agent.qualified)
      return {
        ...this.#agent(agent, demand),
        dependsOn: agent.dependsOn.flatMap((name) => findDependency(agent, name, current.agents)?.qualified ?? []),
        problem: isUsed ? this.options.launchPlanner.problem(agent) : undefined,
        startupTimeout: isUsed ? this.options.launchPlanner.startupTimeout(agent) : 0,
        retryAt: agents.get(agent.qualified)?.until ?? 0,
        limitedUntil: isUsed ? this.options.logins.roomAt({ kind: 'agent', template: agent.qualified }) : 0,
        idleBackoffUntil: this.idleBackoff.until(agent.qualified),
      }
    })
  }

  #demand(
    agent: AgentConfig,
    rows: readonly SessionRow[],
    failures: ReadonlyMap<string, { deaths: number; until: number }>,
  ): AgentState['demand'] {
    const { workload } = this.options
    const { qualified, maxActive } = agent
    const isOwn = (row: SessionRow) => row.template === qualified && workNamesOf(row).includes(qualified)
    // Work that is assigned to the one session of an agent waits for it also while there is no such session.
    const assigned = maxActive === 1 && !rows.some(isOwn) ? workload.assignedToAgent(qualified) : []
    return [...assigned, ...workload.unassignedFor(qualified)].map((bead) => {
      const failure = failures.get(bead)
      return { bead, deaths: failure?.deaths ?? 0, until: failure?.until ?? 0 }
    })
  }

  #agent(
    agent: AgentConfig,
    demand: AgentState['demand'],
  ): Omit<AgentState, 'problem' | 'startupTimeout' | 'retryAt' | 'limitedUntil' | 'idleBackoffUntil' | 'dependsOn'> {
    return {
      name: agent.qualified,
      rig: agent.dir ?? '',
      suspended: this.options.suspensions.isSuspended('agent', agent.qualified, agent.suspended),
      blocked: this.options.budgets.blocks(agent) !== undefined,
      minActive: agent.minActive,
      maxActive: agent.maxActive,
      drainTimeout: agent.drainTimeout,
      driftDrainTimeout: this.options.config.current.daemon.driftDrainTimeout,
      sleepAfterIdle: agent.sleepAfterIdle,
      idleTimeout: agent.idleTimeout,
      maxAge: agent.maxSessionAge,
      maxAgeJitter: agent.maxSessionAgeJitter ?? 0,
      scaleTarget: agent.scaleCheck === undefined ? 0 : this.scaleChecks.desired(agent.qualified),
      demand,
    }
  }

  #session(
    now: number,
    row: SessionRow,
    { messages, busy, asking }: Pick<SessionSnapshot, 'messages' | 'busy' | 'asking'>,
  ): SessionSnapshot {
    const { config, workload, activity, launchPlanner, conversations, questions } = this.options
    const bead = workload.oneAssignedTo(workNamesOf(row))
    const work = bead === undefined ? [] : [bead]
    const attached = activity.isAttached(row.id)
    const inTurn = row.hostKey !== null && conversations.usesAcp(row.hostKey) && conversations.isInTurn(row.hostKey)
    return {
      ...toSession(row),
      leftUnclaimed: work.length === 0 && isUnclaimed(row, workload),
      busyUntil: Math.max(row.busyUntil ?? 0, activity.busyUntil(row.id)),
      work,
      messages,
      attached,
      asking,
      askedUntil: Math.min(now, questions.lastEnded(row.id)),
      quietSince: this.#quietSince(now, row, work.length > 0 || messages > 0 || attached || inTurn || asking),
      drift: row.state === 'active' ? this.#drifts.driftOf(row, config.current, launchPlanner) : [],
      busy,
    }
  }

  #quietSince(now: number, row: SessionRow, occupied: boolean): number {
    if (occupied || !this.#quiet.has(row.id)) this.#quiet.set(row.id, now)
    const shown = this.options.activity.lastOutput(row.id) ?? 0
    const signs = [shown, row.wokeAt ?? 0, row.nudgedAt ?? 0].filter((timestamp) => timestamp <= now)
    return Math.max(this.#quiet.get(row.id) ?? now, ...signs)
  }

  #forget(rows: readonly SessionRow[]): void {
    if (this.#quiet.size <= rows.length) return
    const live = new Set(rows.map(({ id }) => id))
    for (const id of this.#quiet.keys()) if (!live.has(id)) this.#quiet.delete(id)
  }
}

/** True if a running session has claimed nothing, and no one the bead that it was created for. */
const isUnclaimed = ({ state, worked, work }: SessionRow, workload: Workload): boolean =>
  state === 'active' && !worked && Boolean(work) && workload.isUnassigned(work ?? '')

const toNamed = (named: CityConfig['namedSessions'][number]): NamedSessionState => ({
  name: named.qualified,
  agent: named.template,
  mode: named.mode,
})

const toSession = (
  row: SessionRow,
): Omit<
  SessionSnapshot,
  | 'leftUnclaimed'
  | 'busyUntil'
  | 'work'
  | 'messages'
  | 'attached'
  | 'asking'
  | 'askedUntil'
  | 'quietSince'
  | 'drift'
  | 'busy'
> => ({
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
  wakeRequested: row.wakeRequestedAt !== null,
  worked: row.worked,
  createdFor: row.work || undefined,
  fromScaleCheck: row.work === '',
  resumed: row.resumed,
  answered: false,
  crashHoldUntil: 0,
  limitedUntil: 0,
  jitter: jitterOf(row.hostKey ?? row.id),
})

/** A number from 0 to 1 that is constant for one run of a session. */
const jitterOf = (key: string): number => createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32

function toHosted({ key, pid, startedAt, state, exitCode, signal }: HostedSession): ProcessState {
  if (state !== 'exited') return { key, pid, startedAt, exit: undefined }
  if (signal !== undefined) return { key, pid, startedAt, exit: { how: 'signalled', signal } }
  return { key, pid, startedAt, exit: { how: 'exited', ...(exitCode !== undefined && { code: exitCode }) } }
}

/** Drift of running sessions, computed once for each run and configuration. */
class DriftCache {
  #config: CityConfig | undefined
  readonly #drifts = new Map<string, readonly string[]>()

  driftOf(row: SessionRow, config: CityConfig, launchPlanner: { drift(row: SessionRow): string[] }): readonly string[] {
    if (this.#config !== config) this.#drifts.clear()
    this.#config = config
    const key = [row.hostKey, ...Object.values(row.fingerprint)].join(' ')
    const cached = this.#drifts.get(key)
    if (cached) return cached
    const drift = launchPlanner.drift(row)
    this.#drifts.set(key, drift)
    return drift
  }
}
