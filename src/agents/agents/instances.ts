import type { AgentConfig } from '../../config/city-config.ts'
import { instanceName } from '../sessions/names.ts'
import type { AgentSession } from './sessions.ts'

/** One row of a list of agents: an agent with one session, or one instance of a pool. */
export interface Instance {
  readonly spec: AgentConfig
  /** Its qualified name. */
  readonly name: string
  /** The pool that it is an instance of. */
  readonly pool?: string
  /** Its current session, when there is one. */
  readonly session?: AgentSession
  /** Whether one of its sessions is quarantined after repeated crashes. */
  readonly quarantined: boolean
}

/** Whether an agent may have more than one session at once. */
export const isPool = ({ maxActive }: AgentConfig): boolean => maxActive === undefined || maxActive > 1

/**
 * The rows of an agent in a list: the agent itself when it has one session, every slot of a bounded pool, the running
 * instances of an unbounded one. An agent without rows is listed as itself, so that no declared agent is hidden.
 */
export function expandInstances(spec: AgentConfig, sessions: readonly AgentSession[]): Instance[] {
  if (!isPool(spec)) return [wholeAgent(spec, sessions)]
  if (spec.maxActive !== undefined) {
    return Array.from({ length: spec.maxActive }, (_, index) => instance(spec, instanceName(spec, index + 1), sessions))
  }
  const running = sessions.filter((session) => session.running)
  if (running.length === 0) return [{ ...wholeAgent(spec, sessions), pool: spec.qualified }]
  return running.map((session) => ({ spec, name: session.identity, pool: spec.qualified, session, quarantined: false }))
}

/** The agent as a whole, with the session that represents it: a running one before a sleeping one. */
export function wholeAgent(spec: AgentConfig, sessions: readonly AgentSession[]): Instance {
  const matching = sessions.filter(({ identity }) => identity === spec.qualified)
  const session = [...matching, ...sessions].find(({ running }) => running) ?? matching[0] ?? sessions[0]
  return { spec, name: spec.qualified, session, quarantined: sessions.some(({ quarantined }) => quarantined) }
}

function instance(spec: AgentConfig, name: string, sessions: readonly AgentSession[]): Instance {
  const matching = sessions.filter(({ identity }) => identity === name)
  const session = matching.find(({ running }) => running) ?? matching[0]
  return { spec, name, pool: spec.qualified, session, quarantined: matching.some(({ quarantined }) => quarantined) }
}

/** The instance of an agent with this name: a numbered one such as `worker-3`, one of its name pool, or a running one. */
export function findInstance(spec: AgentConfig, name: string, sessions: readonly AgentSession[]): Instance | undefined {
  if (!isPool(spec)) return undefined
  const number = /^[1-9]\d{0,6}$/.exec(
    name.startsWith(`${spec.qualified}-`) ? name.slice(spec.qualified.length + 1) : '',
  )
  const slots = spec.maxActive ?? Math.max(Number(number ?? 0), spec.namepool.length)
  const isNamed = spec.namepool.slice(0, slots).some((_, index) => instanceName(spec, index + 1) === name)
  const isNumbered = number !== null && Number(number) <= slots && instanceName(spec, Number(number)) === name
  const isRunning = sessions.some(({ identity }) => identity === name)
  return isNamed || isNumbered || isRunning ? instance(spec, name, sessions) : undefined
}
