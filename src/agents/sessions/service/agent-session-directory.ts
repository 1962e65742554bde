import type { AgentConfig } from '../../../config/city/city-config.ts'
import type { Clock } from '../../../core/clock.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Store } from '../../../core/store/store.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { SessionRepository } from '../../../work/sessions/repository.ts'
import { isRunning } from '../../../work/sessions/running.ts'
import type { SessionRow } from '../../../work/sessions/table.ts'
import type { Workload } from '../../../work/sessions/workload.ts'
import type { AgentSession, AgentSessions, RestartResult, SessionName } from '../../agents/sessions.ts'
import type { AgentOutput } from '../../conversations/schema.ts'
import type { Transcripts } from '../../conversations/transcripts.ts'
import type { FailureCounts } from '../../lifecycle/plan/failure-counts.ts'
import { agentHold, sessionHold } from '../../lifecycle/plan/holds.ts'
import type { BudgetBlocks } from '../../lifecycle/plan/snapshot-reader.ts'
import type { LaunchPlanner } from '../../lifecycle/start/launch-planner.ts'
import type { Questions } from '../../questions/questions.ts'
import type { HostPrompts } from '../../traffic/host-prompts.ts'
import type { SessionActivity } from '../activity.ts'
import type { SessionControl } from './control.ts'
import type { SessionReader } from './session-reader.ts'

interface AgentSessionDirectoryOptions {
  store: Store
  clock: Clock
  repository: SessionRepository
  launchPlanner: LaunchPlanner
  workload: Workload
  activity: SessionActivity
  failures: FailureCounts
  transcripts: Transcripts
  control: SessionControl
  reader: SessionReader
  budgets: Pick<BudgetBlocks, 'blocks'>
  questions: Pick<Questions, 'asking'>
  askedHosts: Pick<HostPrompts, 'asking'>
}

/** The sessions of agents, as agents and rigs show and restart them. */
export class AgentSessionDirectory implements AgentSessions {
  constructor(private readonly options: AgentSessionDirectoryOptions) {}

  all(): ReadonlyMap<string, AgentSession[]> {
    const asking = this.#asking()
    const byAgent = Map.groupBy(this.options.repository.live(), ({ template }) => template)
    return new Map([...byAgent].map(([agent, rows]) => [agent, rows.map((row) => this.#toAgentSession(row, asking))]))
  }

  ofAgent(agent: string): AgentSession[] {
    const asking = this.#asking()
    return this.#rows(agent).map((row) => this.#toAgentSession(row, asking))
  }

  /** Why an agent cannot be started: its program is missing, or a budget is used up. */
  unavailable(agent: AgentConfig): string | undefined {
    const { launchPlanner, budgets } = this.options
    return launchPlanner.problem(agent) ?? budgets.blocks(agent)
  }

  held(agent: AgentConfig): string | undefined {
    const { failures, clock } = this.options
    return agentHold(failures.find('agent', agent.qualified), clock.now())
  }

  activeBeads(): (names: readonly string[]) => string | undefined {
    return this.options.workload.activeBeads()
  }

  release(agent: string, caller: Caller): Promise<void> {
    return this.#clearFailures([agent], caller)
  }

  /** Ends every session of these agents; those with work or someone who wants them start again. */
  async restartAll(agents: readonly string[], caller: Caller): Promise<RestartResult> {
    const { control } = this.options
    const result: RestartResult = { killed: [], failed: [] }
    await this.#clearFailures(agents, caller)
    const running = agents.flatMap((agent) => this.#rows(agent).filter(isRunning))
    await Promise.all(
      running.map(async ({ id, sessionName }) => {
        try {
          await control.kill(id, caller)
          result.killed.push(sessionName)
        } catch (error) {
          result.failed.push(`${sessionName}: ${errorMessage(error)}`)
        }
      }),
    )
    return result
  }

  /** Forgets the failed starts of these agents, so that they are tried again at once. */
  async #clearFailures(agents: readonly string[], caller: Caller): Promise<void> {
    const { store, failures, repository } = this.options
    await store.write((tx) => {
      for (const agent of agents) failures.clear(tx, 'agent', agent)
      tx.after(() => repository.notifyChanged())
    }, actorOf(caller))
  }

  peek(session: string, lines: number): Promise<string | undefined> {
    return this.options.reader.peek(session, lines)
  }

  async outputOf({ name, session }: SessionName, page: { tail: number; before?: string }): Promise<AgentOutput> {
    const { transcripts } = this.options
    const row = this.#find(session)
    const logged = row && (await transcripts.logs.output(name, row, page))
    if (logged) return logged
    const output = await transcripts.read(requireRunning(row, name))
    return { agent: name, format: output?.format ?? 'text', turns: output?.turns ?? [] }
  }

  async followOutput({ name, session }: SessionName, signal: AbortSignal) {
    const row = this.#find(session)
    const logged = row && this.options.transcripts.logs.followOutput(name, row, signal)
    if (logged) return { stopped: !isRunning(row), turns: logged }
    return { stopped: false, turns: this.#followScreen(name, requireRunning(row, name), signal) }
  }

  async *#followScreen(agent: string, row: SessionRow, signal: AbortSignal): AsyncGenerator<AgentOutput, void, void> {
    for await (const { format, turns } of this.options.transcripts.follow(row, signal)) yield { agent, format, turns }
  }

  /** The sessions that wait for the answer of a person. */
  #asking(): ReadonlySet<string> {
    const { questions, askedHosts } = this.options
    return new Set([...questions.asking(), ...askedHosts.asking()])
  }

  #find(session: string | undefined): SessionRow | undefined {
    return session === undefined ? undefined : this.options.repository.find(session)
  }

  #rows(agent: string): SessionRow[] {
    return this.options.repository.liveByTemplate(agent)
  }

  #toAgentSession(row: SessionRow, asking: ReadonlySet<string>): AgentSession {
    const { activity, transcripts } = this.options
    const held = sessionHold(row)
    const lastActivity = Math.max(activity.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      id: row.id,
      name: row.sessionName,
      identity: row.agentName || row.template,
      running: isRunning(row),
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
