import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { actorOf, partOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { unknownOutcome } from '../../http/idempotency.ts'
import {
  type ActiveBeads,
  isRunning,
  type SessionRepository,
  type SessionRow,
  type Workload,
} from '../../work/sessions/index.ts'
import type { AgentOutput, SessionActivity, Transcripts } from '../conversations/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import { agentHold, type FailureCounts, sessionHold } from '../lifecycle/index.ts'
import { declaresLogin, type Logins } from '../limits/index.ts'
import type { HostPrompts, Questions } from '../questions/index.ts'
import { lackOfRoom, type SessionReading, type SessionRunning } from '../sessions/index.ts'
import type { Budgets } from '../usage/index.ts'

/** A session of an agent that is not closed, as agents show it. */
export interface AgentSession {
  /** The session's id. */
  readonly id: string
  /** Its name at run time. */
  readonly name: string
  /** Instance of the agent: the qualified name, or the name and its slot: `rig/worker`, `rig/worker-2`. */
  readonly identity: string
  /** True if its program runs right now. */
  readonly running: boolean
  /** True if it ends once its work is done. */
  readonly draining: boolean
  readonly attached: boolean
  /** True if it asks something and waits for the answer. */
  readonly asks: boolean
  /** Reason it is quarantined and until when; absent when it is not. */
  readonly held?: string
  /** Time of its program's last output, in milliseconds. */
  readonly lastActivity?: number
  readonly activity?: 'idle' | 'in-turn'
  readonly model?: string
  readonly contextPct?: number
  readonly contextWindow?: number
}

/** The session of an agent or instance, if it has one, and the name to show it under. */
export interface SessionName {
  readonly name: string
  readonly session: string | undefined
}

/** The names of sessions that were ended, and of those that could not be. */
export interface RestartResult {
  readonly killed: string[]
  readonly failed: string[]
}

/** Reasons that agents cannot be started, found at one moment. */
export interface Unavailability {
  /** True if all agents of one kind cannot be started for the same reason. */
  readonly isByKind: boolean
  of(agent: AgentConfig): string | undefined
}

/** Reasons that no new sessions of agents are started, found at one moment. */
export interface AgentHolds {
  /** Every agent whose starts failed. */
  readonly agents: Iterable<string>
  of(agent: AgentConfig): string | undefined
}

/** The sessions of agents, as agents and rigs show and restart them. */
export class AgentSessionDirectory {
  readonly #kinds = new WeakMap<AgentConfig, string | undefined>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: Pick<Config, 'current'>
      repository: SessionRepository
      launchPlanner: LaunchPlanner
      workload: Workload
      activity: SessionActivity
      failures: FailureCounts
      transcripts: Transcripts
      running: SessionRunning
      reading: SessionReading
      budgets: Pick<Budgets, 'blocks' | 'mayBlock'>
      logins: Pick<Logins, 'roomAt'>
      questions: Pick<Questions, 'asking'>
      askedHosts: Pick<HostPrompts, 'asking'>
    },
  ) {}

  /** The open sessions of all agents, newest first, by agent. */
  all(): ReadonlyMap<string, AgentSession[]> {
    const asking = this.#asking()
    const byAgent = Map.groupBy(this.peers.repository.live(), ({ template }) => template)
    return new Map([...byAgent].map(([agent, rows]) => [agent, rows.map((row) => this.#toAgentSession(row, asking))]))
  }

  /** The open sessions of an agent, newest first. */
  ofAgent(agent: string): AgentSession[] {
    const asking = this.#asking()
    return this.#rows(agent).map((row) => this.#toAgentSession(row, asking))
  }

  /** Reason an agent cannot be started: its program is missing, a budget is used up, or no login has quota left. */
  unavailable(agent: AgentConfig): string | undefined {
    return this.peers.launchPlanner.problem(agent) ?? this.peers.budgets.blocks(agent) ?? this.#limited(agent)
  }

  /** The same for many agents, of which those of one kind share what is found. */
  unavailables(): Unavailability {
    const { launchPlanner, budgets } = this.peers
    const mayBlock = budgets.mayBlock
    const known = new Map<string, { problem: string | undefined; limited: string | undefined }>()
    return {
      isByKind: !mayBlock,
      of: (agent) => {
        const kind = this.kindOf(agent)
        if (kind === undefined) return this.unavailable(agent)
        const { problem, limited } = known.getOrInsertComputed(kind, () => ({
          problem: launchPlanner.problem(agent),
          limited: this.#limited(agent),
        }))
        return problem ?? (mayBlock ? budgets.blocks(agent) : undefined) ?? limited
      },
    }
  }

  /** All that decides whether an agent can be started; undefined for one with a command or login of its own. */
  kindOf(agent: AgentConfig): string | undefined {
    const known = this.#kinds.get(agent)
    if (known !== undefined || this.#kinds.has(agent)) return known
    const { provider, startCommand, dir, confine, session, env, broken } = agent
    const isOwn = startCommand !== undefined || declaresLogin(env)
    const kind = isOwn ? undefined : JSON.stringify([provider, dir, confine, session, env, broken])
    this.#kinds.set(agent, kind)
    return kind
  }

  #limited({ qualified }: AgentConfig): string | undefined {
    const { clock } = this.context
    const { logins } = this.peers
    const until = logins.roomAt({ kind: 'agent', template: qualified })
    if (until <= clock.now()) return undefined
    return until === Number.POSITIVE_INFINITY
      ? 'its login is not accepted; log in, then gc account check'
      : `its usage limit is reached, and no other account has quota before ${toTimestamp(until)}`
  }

  /** Reason there is no room for another session of an agent. */
  lackOfRoom(agent: AgentConfig): string | undefined {
    return lackOfRoom(agent, this.peers)
  }

  /** Ready beads that a session of an agent may take up: those routed to it, and those assigned to it or its session. */
  readyFor({ qualified }: AgentConfig, names: readonly string[]): readonly string[] {
    const { workload } = this.peers
    const own = workload.oneAssignedTo(names)
    return [
      ...new Set([
        ...(own === undefined ? [] : [own]),
        ...workload.assignedToAgent(qualified),
        ...workload.unassignedFor(qualified),
      ]),
    ]
  }

  /** The reason for which no new session of an agent is started now, and its end; undefined without one. */
  held(agent: AgentConfig): string | undefined {
    const { clock } = this.context
    const { failures } = this.peers
    return agentHold(failures.find('agent', agent.qualified), clock.now())
  }

  /** The same for many agents. */
  holds(): AgentHolds {
    const counts = this.peers.failures.all('agent')
    const now = this.context.clock.now()
    return { agents: counts.keys(), of: ({ qualified }) => agentHold(counts.get(qualified), now) }
  }

  /** The newest beads in progress, by the names that they are assigned to. */
  activeBeads(): ActiveBeads {
    return this.peers.workload.activeBeads()
  }

  /** Lifts what keeps new sessions of an agent from being started because others failed. */
  release(agent: string, caller: Caller): Promise<void> {
    return this.#clearFailures([agent], caller)
  }

  /** Ends every session of these agents; those with work or someone who wants them start again. */
  async restartAll(agents: readonly string[], caller: Caller): Promise<RestartResult> {
    const result: RestartResult = { killed: [], failed: [] }
    if (caller.request?.isRetry) throw unknownOutcome('look at the sessions with `gc session list`')
    await caller.request?.begin()
    const part = partOf(caller)
    await this.#clearFailures(agents, part)
    const running = agents.flatMap((agent) => this.#rows(agent).filter(isRunning))
    await Promise.all(
      running.map(async ({ id, sessionName }) => {
        try {
          await this.peers.running.kill(id, part)
          result.killed.push(sessionName)
        } catch (error) {
          result.failed.push(`${sessionName}: ${errorMessage(error)}`)
        }
      }),
    )
    return result
  }

  /** Forgets the failed starts of these agents, so that they are tried again immediately. */
  async #clearFailures(agents: readonly string[], caller: Caller): Promise<void> {
    const { store } = this.context
    const { failures, repository } = this.peers
    await store.write((tx) => {
      for (const agent of agents) failures.clear(tx, 'agent', agent)
      tx.after(() => repository.notifyChanged())
    }, actorOf(caller))
  }

  /** The last lines of a session's screen. */
  peek(session: string, lines: number): Promise<string | undefined> {
    return this.peers.reading.peek(session, lines)
  }

  /**
   * The output of a session, under the name of its agent: the newest `tail` segments of its conversation, 0 for all of it,
   * or else its last screen lines. Refuses with `agent-not-found`, `agent <name> not running`, when there is neither.
   */
  async outputOf({ name, session }: SessionName, page: { tail: number; before?: string }): Promise<AgentOutput> {
    const { transcripts } = this.peers
    const row = this.#find(session)
    const logged = row && (await transcripts.logs.output(name, row, page))
    if (logged) return logged
    const output = await transcripts.read(requireRunning(row, name))
    return { agent: name, format: output?.format ?? 'text', turns: output?.turns ?? [] }
  }

  /** `outputOf` with one segment, then whatever is new, until `signal` aborts. Refuses before the first item. */
  async followOutput({ name, session }: SessionName, signal: AbortSignal) {
    const row = this.#find(session)
    const logged = row && this.peers.transcripts.logs.followOutput(name, row, signal)
    if (logged) return { stopped: !isRunning(row), turns: logged }
    return { stopped: false, turns: this.#followScreen(name, requireRunning(row, name), signal) }
  }

  async *#followScreen(agent: string, row: SessionRow, signal: AbortSignal): AsyncGenerator<AgentOutput, void, void> {
    for await (const { format, turns } of this.peers.transcripts.follow(row, signal)) yield { agent, format, turns }
  }

  /** The sessions that wait for the answer of a person. */
  #asking(): ReadonlySet<string> {
    const { questions, askedHosts } = this.peers
    return new Set([...questions.asking(), ...askedHosts.asking()])
  }

  #find(session: string | undefined): SessionRow | undefined {
    return session === undefined ? undefined : this.peers.repository.find(session)
  }

  #rows(agent: string): SessionRow[] {
    return this.peers.repository.liveByTemplate(agent)
  }

  #toAgentSession(row: SessionRow, asking: ReadonlySet<string>): AgentSession {
    const { activity, transcripts } = this.peers
    const held = sessionHold(row)
    const lastActivity = Math.max(activity.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      id: row.id,
      name: row.sessionName,
      identity: row.agentName || row.template,
      running: isRunning(row),
      draining: row.state === 'draining',
      attached: activity.isAttached(row.id),
      asks: asking.has(row.id),
      ...(held !== undefined && { held }),
      ...(lastActivity > 0 && { lastActivity }),
      ...(isRunning(row) && transcripts.logs.status(row.id)),
    }
  }
}

function requireRunning(row: SessionRow | undefined, agent: string): SessionRow {
  if (row && isRunning(row)) return row
  throw new AppError('agent-not-found', `agent ${agent} not running`)
}
