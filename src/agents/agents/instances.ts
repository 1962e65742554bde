import type { AgentConfig } from '../../config/city-config.ts'
import { instanceName } from '../sessions/names.ts'
import type { AgentSession } from './sessions.ts'

/** One row of a list of agents: an agent that runs once, or one instance of a pool. */
export interface Instance {
  readonly spec: AgentConfig
  /** Its qualified name. */
  readonly name: string
  /** The agent it is an instance of, when that may have several. */
  readonly pool?: string
  /** The session that is it right now, when there is one. */
  readonly session?: AgentSession
  /** Whether one of its sessions crashed so often that it is kept from starting. */
  readonly quarantined: boolean
}

/** A pool may have more than one session at once. */
export const isPool = ({ maxActive }: AgentConfig): boolean => maxActive === undefined || maxActive > 1

/**
 * What an agent is listed as: itself when it runs once, every place of a bounded pool, the running instances of an
 * unbounded one. What would list nothing is listed as the agent itself, so that no declared agent is hidden.
 */
export function expandInstances(spec: AgentConfig, sessions: readonly AgentSession[]): Instance[] {
  if (!isPool(spec)) return [wholeAgent(spec, sessions)]
  if (spec.maxActive !== undefined) {
    return Array.from({ length: spec.maxActive }, (_, at) => instance(spec, instanceName(spec, at + 1), sessions))
  }
  const running = sessions.filter((session) => session.running)
  if (running.length === 0) return [{ ...wholeAgent(spec, sessions), pool: spec.qualified }]
  return running.map((session) => ({ spec, name: session.identity, pool: spec.qualified, session, quarantined: false }))
}

/** The agent as a whole, with the session that stands for it: a running one before a sleeping one. */
export function wholeAgent(spec: AgentConfig, sessions: readonly AgentSession[]): Instance {
  const own = sessions.filter(({ identity }) => identity === spec.qualified)
  const session = [...own, ...sessions].find(({ running }) => running) ?? own[0] ?? sessions[0]
  return { spec, name: spec.qualified, session, quarantined: sessions.some(({ quarantined }) => quarantined) }
}

function instance(spec: AgentConfig, name: string, sessions: readonly AgentSession[]): Instance {
  const own = sessions.filter(({ identity }) => identity === name)
  const session = own.find(({ running }) => running) ?? own[0]
  return { spec, name, pool: spec.qualified, session, quarantined: own.some(({ quarantined }) => quarantined) }
}

/** The instance that a name means, when it is one of this agent's: `worker-3`, a name of its pool, or one that runs. */
export function findInstance(spec: AgentConfig, name: string, sessions: readonly AgentSession[]): Instance | undefined {
  if (!isPool(spec)) return undefined
  const number = /^[1-9]\d{0,6}$/.exec(
    name.startsWith(`${spec.qualified}-`) ? name.slice(spec.qualified.length + 1) : '',
  )
  const slots = spec.maxActive ?? Math.max(Number(number ?? 0), spec.namepool.length)
  const given = spec.namepool.slice(0, slots).some((_, at) => instanceName(spec, at + 1) === name)
  const counted = number !== null && Number(number) <= slots && instanceName(spec, Number(number)) === name
  const runs = sessions.some(({ identity }) => identity === name)
  return given || counted || runs ? instance(spec, name, sessions) : undefined
}
