import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'
import type { SlingInputBody } from './schema.ts'

/** Who gets the work: an agent, or one named session of it. */
export interface Target {
  agent: AgentConfig
  /** The name the bead is assigned to; absent when any session of the agent may claim it. */
  assignee?: string
}

type TargetConfig = Pick<CityConfig, 'agents' | 'namedSessions' | 'rigs'>

/** Finds the target that a request names: in its rig first, then as written. */
export function resolveTarget(config: TargetConfig, body: SlingInputBody): Target {
  const name = body.target.trim().replace(/(?<=.)[/]$/, '')
  if (name === '') throw new AppError('invalid-request', 'target is empty: name an agent')
  if (body.rig && !config.rigs.some((rig) => rig.name === body.rig)) {
    throw new AppError('rig-not-found', `rig ${body.rig} does not exist in this city`)
  }
  const rig = body.scope_kind === 'rig' && body.scope_ref ? body.scope_ref : body.scope_kind ? undefined : body.rig
  const candidates = rig && !name.includes('/') ? [`${rig}/${name}`, name] : [name]
  for (const candidate of candidates) {
    const target = findTarget(config, candidate)
    if (target) return target
  }
  throw new AppError('agent-not-found', `agent ${name} does not exist in this city`)
}

function findTarget({ agents, namedSessions }: TargetConfig, name: string): Target | undefined {
  const agent = agents.find(({ qualified }) => qualified === name) ?? agents.find((pool) => isInstance(pool, name))
  if (agent) return { agent }
  const session = namedSessions.find(({ qualified }) => qualified === name)
  const template = session && agents.find(({ qualified }) => qualified === session.template)
  return template && { agent: template, assignee: session.qualified }
}

/** Whether an agent runs several sessions at once. */
export const isPool = ({ maxActive, namepool }: Pick<AgentConfig, 'maxActive' | 'namepool'>): boolean =>
  namepool.length > 0 || maxActive === undefined || maxActive > 1

/** Whether a name is one of the instances of a pool: `worker-3` of `worker`. */
function isInstance(agent: AgentConfig, name: string): boolean {
  if (!isPool(agent) || !name.startsWith(`${agent.qualified}-`)) return false
  const suffix = name.slice(agent.qualified.length + 1)
  if (agent.namepool.includes(suffix)) return true
  return /^[1-9]\d*$/.test(suffix) && Number(suffix) <= (agent.maxActive ?? Number.POSITIVE_INFINITY)
}
