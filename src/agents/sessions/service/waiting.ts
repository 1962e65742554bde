import type { Launcher } from '../../lifecycle/launcher.ts'
import type { TurnGate } from '../../messaging/turn-gate.ts'
import type { SessionRepository } from '../repository.ts'
import { isRunning } from '../running.ts'

interface WaitingOptions {
  repository: Pick<SessionRepository, 'find' | 'liveByTemplate'>
  launcher: Pick<Launcher, 'agent' | 'problem'>
  turns: Pick<TurnGate, 'closedFor'>
}

/** What keeps a session from starting or going on: a budget, its program, or others that take all the room its agent has. */
export function explainWaiting({ repository, launcher, turns }: WaitingOptions, session: string): string | undefined {
  const row = repository.find(session)
  const closed = row && turns.closedFor(row)
  if (closed !== undefined) return closed
  const agent = row?.kind === 'agent' ? launcher.agent(row.template) : undefined
  if (!agent || row?.state !== 'start-pending') return undefined
  const running = repository.liveByTemplate(agent.qualified).filter(isRunning).length
  if (agent.maxActive === undefined || running < agent.maxActive) return launcher.problem(agent)
  return `${agent.qualified} may have ${agent.maxActive} at once and has ${running}; close one, or raise max_active_sessions`
}
