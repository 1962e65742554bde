import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { isRunning, type SessionRepository, type SessionRow, type TurnGate } from '../../work/sessions/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'

interface WaitingReasonsOptions {
  clock: Clock
  config: Pick<Config, 'current'>
  suspensions: Pick<Suspensions, 'explain'>
  repository: Pick<SessionRepository, 'find' | 'live'>
  launchPlanner: Pick<LaunchPlanner, 'agent' | 'problem'>
  turns: Pick<TurnGate, 'closedFor'>
}

/** Reasons that keep a session from starting or continuing, with fixes. */
export class WaitingReasons {
  constructor(private readonly options: WaitingReasonsOptions) {}

  /** Undefined when nothing is known to. */
  of(session: string): string | undefined {
    const { repository, suspensions, config } = this.options
    const row = repository.find(session)
    if (!row) return undefined
    const closed = this.options.turns.closedFor(row)
    if (closed !== undefined || row.state !== 'start-pending') return closed
    const agent = row.kind === 'agent' ? this.options.launchPlanner.agent(row.template) : undefined
    return (
      suspensions.explain(config.current, agent) ??
      (agent && lackOfRoom(agent, this.options)) ??
      this.#retry(row) ??
      (agent && this.options.launchPlanner.problem(agent))
    )
  }

  #retry({ retryAt, reason }: SessionRow): string | undefined {
    if (retryAt === null || retryAt <= this.options.clock.now()) return undefined
    return `its last start failed${reason ? ` (${reason})` : ''}; gc retries at ${toTimestamp(retryAt)}`
  }
}

/** Reason there is no room for another session of an agent: those that run are as many as it, its rig or the city may have. */
export function lackOfRoom(
  { qualified, maxActive, dir }: AgentConfig,
  { config, repository, launchPlanner }: Pick<WaitingReasonsOptions, 'config' | 'repository' | 'launchPlanner'>,
): string | undefined {
  const running = repository.live().filter(isRunning)
  const ofRig = running.filter(({ template }) => launchPlanner.agent(template)?.dir === dir)
  const full = (what: string, max: number | undefined, count: number) =>
    max !== undefined && count >= max
      ? `${what} has ${count} of ${max} sessions; close one, or raise max_active_sessions`
      : undefined
  return (
    full(qualified, maxActive, running.filter(({ template }) => template === qualified).length) ??
    (dir === ''
      ? undefined
      : full(`rig ${dir}`, config.current.rigs.find(({ name }) => name === dir)?.maxActive, ofRig.length)) ??
    full('the city', config.current.workspace.maxActive, running.length)
  )
}
