import type { AgentConfig } from '../../../config/city-config.ts'
import { type Clock, toTimestamp } from '../../../core/clock.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import type { AgentSession, AgentSessions, RestartResult } from '../../agents/sessions.ts'
import type { Transcripts } from '../../conversations/transcripts.ts'
import type { FailureCounts } from '../../lifecycle/failure-counts.ts'
import type { Launcher } from '../../lifecycle/launcher.ts'
import type { SessionWaker } from '../../lifecycle/session-waker.ts'
import type { BudgetBlocks } from '../../lifecycle/snapshot-reader.ts'
import type { SessionActivity } from '../activity.ts'
import type { SessionRepository } from '../repository.ts'
import { isRunning } from '../running.ts'
import type { SessionRow } from '../table.ts'
import type { Workload } from '../workload.ts'
import type { SessionControl } from './control.ts'
import type { SessionReader } from './session-reader.ts'

interface AgentSessionDirectoryOptions {
  clock: Clock
  repository: SessionRepository
  launcher: Launcher
  workload: Workload
  activity: SessionActivity
  failures: FailureCounts
  waker: SessionWaker
  transcripts: Transcripts
  control: SessionControl
  reader: SessionReader
  budgets: Pick<BudgetBlocks, 'blocks'>
}

/** The sessions of agents, as agents and rigs show and restart them. */
export class AgentSessionDirectory implements AgentSessions {
  constructor(private readonly options: AgentSessionDirectoryOptions) {}

  all(): ReadonlyMap<string, AgentSession[]> {
    const byAgent = Map.groupBy(this.options.repository.live(), ({ template }) => template)
    return new Map([...byAgent].map(([agent, rows]) => [agent, rows.map((row) => this.#toAgentSession(row))]))
  }

  ofAgent(agent: string): AgentSession[] {
    return this.#rows(agent).map((row) => this.#toAgentSession(row))
  }

  /** Why an agent cannot be started now: its program is missing, a budget is used up, or it failed too often. */
  unavailable(agent: AgentConfig): string | undefined {
    const { launcher, budgets, failures, clock } = this.options
    const problem = launcher.problem(agent) ?? budgets.blocks(agent)
    if (problem !== undefined) return problem
    const failure = failures.find('agent', agent.qualified)
    if (!failure || failure.until <= clock.now()) return undefined
    const { deaths, until, reason } = failure
    return `its last ${deaths} sessions failed; it is tried again at ${toTimestamp(until)}: ${reason}`
  }

  activeBeads(): (names: readonly string[]) => string | undefined {
    return this.options.workload.activeBeads()
  }

  /** Ends every session of these agents; those with work or someone who wants them start again. */
  async restartAll(agents: readonly string[]): Promise<RestartResult> {
    const { waker, control } = this.options
    const result: RestartResult = { killed: [], failed: [] }
    await waker.clearFailures(agents)
    const running = agents.flatMap((agent) => this.#rows(agent).filter(isRunning))
    await Promise.all(
      running.map(async ({ id, sessionName }) => {
        try {
          await control.kill(id)
          result.killed.push(sessionName)
        } catch (error) {
          result.failed.push(`${sessionName}: ${errorMessage(error)}`)
        }
      }),
    )
    return result
  }

  peek(session: string, lines: number): Promise<string | undefined> {
    return this.options.reader.peek(session, lines)
  }

  async outputOf(identity: string, page: { tail: number; before?: string }): Promise<AgentOutput> {
    const { transcripts } = this.options
    const latest = this.#latest(identity)
    const logged = latest && (await transcripts.logs.output(identity, latest, page))
    if (logged) return logged
    const output = await transcripts.read(this.#running(identity))
    return { agent: identity, format: output?.format ?? 'text', turns: output?.turns ?? [] }
  }

  async followOutput(identity: string, signal: AbortSignal) {
    const latest = this.#latest(identity)
    const logged = latest && this.options.transcripts.logs.followOutput(identity, latest, signal)
    if (logged) return { stopped: !isRunning(latest), turns: logged }
    const row = this.#running(identity)
    return { stopped: !isRunning(row), turns: this.#followScreen(identity, row, signal) }
  }

  async *#followScreen(
    identity: string,
    row: SessionRow,
    signal: AbortSignal,
  ): AsyncGenerator<AgentOutput, void, void> {
    for await (const { format, turns } of this.options.transcripts.follow(row, signal)) {
      yield { agent: identity, format, turns }
    }
  }

  /** The session of an instance that runs. */
  #running(identity: string): SessionRow {
    const row = this.#instance(identity).find(isRunning)
    if (row) return row
    throw new AppError('agent-not-found', `agent ${identity} not running`)
  }

  /** The session of an instance that runs, else its newest. */
  #latest(identity: string): SessionRow | undefined {
    const rows = this.#instance(identity)
    return rows.find(isRunning) ?? rows[0]
  }

  #rows(agent: string): SessionRow[] {
    return this.options.repository.liveByTemplate(agent)
  }

  #instance(identity: string): SessionRow[] {
    const { repository } = this.options
    return [...repository.liveByName('agentName', identity), ...repository.liveByTemplate(identity)]
  }

  #toAgentSession(row: SessionRow): AgentSession {
    const { activity, transcripts } = this.options
    const lastActivity = Math.max(activity.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      id: row.id,
      name: row.sessionName,
      identity: row.agentName || row.template,
      running: isRunning(row),
      attached: activity.isAttached(row.id),
      quarantined: row.state === 'quarantined',
      ...(lastActivity > 0 && { lastActivity }),
      ...(isRunning(row) && transcripts.logs.status(row.id)),
    }
  }
}
