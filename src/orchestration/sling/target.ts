import type { AgentConfig, CityConfig, NamedSessionConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'
import type { SlingInputBody } from './schema.ts'

/** Who gets the work: an agent, or one session that is known by name. */
export interface Target {
  agent: AgentConfig
  /** The name the bead is assigned to; absent when any session of the agent may take it. */
  assignee?: string
}

type Agents = Pick<CityConfig, 'agents' | 'namedSessions' | 'rigs'>

/** Finds whom a request means: in the rig it names first, then as written. */
export function resolveTarget(config: Agents, body: SlingInputBody): Target {
  const name = body.target.trim()
  if (name === '') throw new AppError('invalid-request', 'target is empty: name an agent')
  if (body.rig && !config.rigs.some((rig) => rig.name === body.rig)) {
    throw new AppError('rig-not-found', `rig ${body.rig} does not exist in this city`)
  }
  const rig = body.scope_kind === 'rig' && body.scope_ref ? body.scope_ref : body.scope_kind ? undefined : body.rig
  const names = rig && !name.includes('/') ? [`${rig}/${name}`, name] : [name]
  for (const one of names) {
    const target = named(config, one)
    if (target) return target
  }
  throw new AppError('agent-not-found', `agent ${name} does not exist in this city`)
}

function named({ agents, namedSessions }: Agents, name: string): Target | undefined {
  const agent = agents.find((one) => one.qualified === name) ?? agents.find((one) => isInstance(one, name))
  if (agent) return { agent }
  const session = namedSessions.find((one) => one.qualified === name)
  const runs = session && agents.find((one) => one.qualified === session.template)
  return runs && { agent: runs, assignee: nameOf(session) }
}

const nameOf = (session: NamedSessionConfig): string => session.qualified

/** Whether an agent runs several sessions at once. */
export const isPool = ({ maxActive, namepool }: Pick<AgentConfig, 'maxActive' | 'namepool'>): boolean =>
  namepool.length > 0 || maxActive === undefined || maxActive > 1

/** Whether a name is one of the instances of a pool: `worker-3` of `worker`. */
function isInstance(agent: AgentConfig, name: string): boolean {
  if (!isPool(agent) || !name.startsWith(`${agent.qualified}-`)) return false
  const number = name.slice(agent.qualified.length + 1)
  if (agent.namepool.includes(number)) return true
  return /^[1-9]\d*$/.test(number) && Number(number) <= (agent.maxActive ?? Number.POSITIVE_INFINITY)
}
