import { type AgentConfig, findDependency } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Config } from '../../../config/compose/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import { sha256 } from '../../../core/digest.ts'
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
  readonly #known = new Map<string, KnownSession>()

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
    const assignees = this.options.workload.assignees()
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
          assignees,
        }),
      ),
      hosted: hosted && new Map(hosted.map((process) => [process.key, toHosted(process)])),
    }
  }

  /** Restarts the measurement of quiet times, because the clock was changed. */
  resetQuietTimes(): void {
    for (const known of this.#known.values()) known.quietSince = undefined
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

  #session(now: number, row: SessionRow, { messages, busy, asking, assignees }: SessionFacts): SessionSnapshot {
    const { config, workload, activity, launchPlanner, conversations, questions } = this.options
    const known = this.#knownOf(row)
    const bead = known.names.some((name) => assignees.has(name)) ? workload.oneAssignedTo(known.names) : undefined
    const attached = activity.isAttached(row.id)
    const inTurn = row.hostKey !== null && conversations.usesAcp(row.hostKey) && conversations.isInTurn(row.hostKey)
    if (bead !== undefined || messages > 0 || attached || inTurn || asking) known.quietSince = now
    known.quietSince ??= now
    return {
      ...known.fields,
      leftUnclaimed: bead === undefined && isUnclaimed(row, workload),
      busyUntil: Math.max(row.busyUntil ?? 0, activity.busyUntil(row.id)),
      work: bead === undefined ? NO_WORK : [bead],
      messages,
      attached,
      asking,
      askedUntil: Math.min(now, questions.lastEnded(row.id)),
      quietSince: lastSign(now, known.quietSince, activity.lastOutput(row.id), row.wokeAt, row.nudgedAt),
      drift: row.state === 'active' ? driftOf(known, config.current, launchPlanner) : [],
      busy,
    }
  }

  /** Facts kept about a session; those that depend on its row alone stay for as long as the row does. */
  #knownOf(row: SessionRow): KnownSession {
    const before = this.#known.get(row.id)
    if (before?.row === row) return before
    const known = { ...before, row, names: workNamesOf(row), fields: toSession(row), run: runOf(row) }
    this.#known.set(row.id, known)
    return known
  }

  #forget(rows: readonly SessionRow[]): void {
    if (this.#known.size <= rows.length) return
    const live = new Set(rows.map(({ id }) => id))
    for (const id of this.#known.keys()) if (!live.has(id)) this.#known.delete(id)
  }
}

/** Facts about a session that are read for all of them together. */
type SessionFacts = Pick<SessionSnapshot, 'messages' | 'busy' | 'asking'> & { assignees: ReadonlySet<string> }

/** Facts about a session that are kept from one snapshot to the next. */
interface KnownSession {
  row: SessionRow
  names: readonly string[]
  fields: ReturnType<typeof toSession>
  /** Identifies its run, and what it was started with. */
  run: string
  /** Since when it has had nothing to do. Lost on a restart, after which it waits for as long once more. */
  quietSince?: number | undefined
  drift?: { run: string; config: CityConfig; parts: readonly string[] }
}

const NO_WORK: readonly string[] = []

/** The latest of these times that is not in the future. */
function lastSign(now: number, quietSince: number, ...signs: (number | null | undefined)[]): number {
  let last = quietSince
  for (const at of signs) if (at && at <= now && at > last) last = at
  return last
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
const jitterOf = (key: string): number => Number.parseInt(sha256(key).slice(0, 8), 16) / 2 ** 32

function toHosted({ key, pid, startedAt, state, exitCode, signal }: HostedSession): ProcessState {
  if (state !== 'exited') return { key, pid, startedAt, exit: undefined }
  if (signal !== undefined) return { key, pid, startedAt, exit: { how: 'signalled', signal } }
  return { key, pid, startedAt, exit: { how: 'exited', ...(exitCode !== undefined && { code: exitCode }) } }
}

const runOf = ({ hostKey, fingerprint }: SessionRow): string => [hostKey, ...Object.values(fingerprint)].join(' ')

/** Drift of a running session, computed once for each run and configuration. */
function driftOf(
  known: KnownSession,
  config: CityConfig,
  launchPlanner: { drift(row: SessionRow): string[] },
): readonly string[] {
  const { run, drift } = known
  if (drift?.run === run && drift.config === config) return drift.parts
  const parts = launchPlanner.drift(known.row)
  known.drift = { run, config, parts }
  return parts
}
