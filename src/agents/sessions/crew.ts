import type { AgentConfig } from '../../config/city-config.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { AgentOutput } from '../agents/schema.ts'
import type { AgentSession, AgentSessions, Restarted } from '../agents/sessions.ts'
import type { Sessions } from './sessions.ts'
import type { SessionRow } from './table.ts'
import { isRunning } from './view.ts'

/** What agents and rigs see of their sessions. */
export class Crew implements AgentSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly now: () => number,
    private readonly blocks: (agent: AgentConfig) => string | undefined = () => undefined,
  ) {}

  all(): ReadonlyMap<string, AgentSession[]> {
    const byAgent = Map.groupBy(this.sessions.parts.book.live(), ({ template }) => template)
    return new Map([...byAgent].map(([agent, rows]) => [agent, rows.map((row) => this.#shown(row))]))
  }

  ofAgent(agent: string): AgentSession[] {
    return this.#rows(agent).map((row) => this.#shown(row))
  }

  /** Why an agent cannot be started now: its program is missing, or it failed too often just now. */
  unavailable(agent: AgentConfig): string | undefined {
    const { launcher, troubles } = this.sessions.parts
    const problem = launcher.problem(agent)
    if (problem !== undefined) return problem
    const blocked = this.blocks(agent)
    if (blocked !== undefined) return blocked
    const trouble = troubles.find('agent', agent.qualified)
    if (!trouble || trouble.until <= this.now()) return undefined
    return `its last ${trouble.deaths} sessions failed; it is tried again at ${toTimestamp(trouble.until)}: ${trouble.reason}`
  }

  activeBeads(): (names: readonly string[]) => string | undefined {
    return this.sessions.parts.workload.activeBeads()
  }

  /** Ends every session of these agents; those with work or someone who wants them start again. */
  async restartAll(agents: readonly string[]): Promise<Restarted> {
    const result: Restarted = { killed: [], failed: [] }
    await this.sessions.forgive(agents)
    const running = agents.flatMap((agent) => this.#rows(agent).filter(isRunning))
    await Promise.all(
      running.map(async ({ id, sessionName }) => {
        try {
          await this.sessions.kill(id)
          result.killed.push(sessionName)
        } catch (error) {
          result.failed.push(`${sessionName}: ${errorMessage(error)}`)
        }
      }),
    )
    return result
  }

  peek(session: string, lines: number): Promise<string | undefined> {
    return this.sessions.peek(session, lines)
  }

  async outputOf(identity: string, page: { tail: number; before?: string }): Promise<AgentOutput> {
    const logged = this.#latest(identity)
    const output = logged && (await this.sessions.transcripts.logs?.output(identity, logged, page))
    if (output) return output
    const row = this.#running(identity)
    const said = await this.sessions.transcripts.read(row)
    return { agent: identity, format: said?.format ?? 'text', turns: said?.turns ?? [] }
  }

  async followOutput(identity: string, signal: AbortSignal) {
    const logged = this.#latest(identity)
    const turns = logged && this.sessions.transcripts.logs?.followOutput(identity, logged, signal)
    if (turns) return { stopped: !isRunning(logged), turns }
    const row = this.#running(identity)
    return { stopped: !isRunning(row), turns: this.#turns(identity, row, signal) }
  }

  async *#turns(identity: string, row: SessionRow, signal: AbortSignal): AsyncGenerator<AgentOutput, void, void> {
    for await (const said of this.sessions.transcripts.follow(row, signal)) {
      yield { agent: identity, format: said.format, turns: said.turns }
    }
  }

  /** The instance's session that runs. */
  #running(identity: string): SessionRow {
    const row = this.#instance(identity).find(isRunning)
    if (row) return row
    throw new AppError('agent-not-found', `agent ${identity} not running`)
  }

  /** The instance's session that runs, else its newest. */
  #latest(identity: string): SessionRow | undefined {
    const rows = this.#instance(identity)
    return rows.find(isRunning) ?? rows[0]
  }

  #rows(agent: string): SessionRow[] {
    return this.sessions.parts.book.liveByTemplate(agent)
  }

  #instance(identity: string): SessionRow[] {
    const { book } = this.sessions.parts
    return [...book.liveByName('agentName', identity), ...book.liveByTemplate(identity)]
  }

  #shown(row: SessionRow): AgentSession {
    const { live } = this.sessions.parts
    const lastActivity = Math.max(live.lastOutput(row.id) ?? 0, row.activeAt ?? 0)
    return {
      id: row.id,
      name: row.sessionName,
      identity: row.agentName || row.template,
      running: isRunning(row),
      attached: live.isAttached(row.id),
      quarantined: row.state === 'quarantined',
      ...(lastActivity > 0 && { lastActivity }),
      ...(isRunning(row) && live.standing(row.id)),
    }
  }
}
