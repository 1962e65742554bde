import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import { AppError } from '../../core/errors.ts'
import { lastSegment } from '../../core/text/index.ts'

/** Facts about an agent for routing. */
export type RouteAgent = Pick<AgentConfig, 'qualified' | 'binding'> & PoolFields

/** Recipient of a step's work: an agent, or an unknown name. */
export interface RouteTarget {
  agent: RouteAgent
  assignee?: string
}

/** Recipient of work: an agent, or one named session of it. */
export interface Target extends RouteTarget {
  agent: AgentConfig
  /** The name the bead is assigned to; absent when any session of the agent may claim it. */
  assignee?: string
}

type TargetConfig = Pick<CityConfig, 'agents' | 'namedSessions' | 'rigs'>

/** Target named by a request, with the rig to look it up in first. */
export interface TargetRequest {
  target: string
  rig?: string | undefined
  scope_kind?: string | undefined
  scope_ref?: string | undefined
}

/** Finds the target that a request names: in its rig first, then as written. */
export function resolveTarget(config: TargetConfig, body: TargetRequest): Target {
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

/**
 * Finds the target that a step names: in the rig of its run first, then as written, then by a name that only one agent
 * has, whatever its rig and the pack that it comes from.
 */
export function findStepTarget(config: TargetConfig, name: string, rig: string): Target | undefined {
  const candidates = rig === '' || name.includes('/') ? [name] : [`${rig}/${name}`, name]
  for (const candidate of candidates) {
    const target = findTarget(config, candidate)
    if (target) return target
  }
  const bearers = config.agents.filter((agent) => agent.localName === name || lastSegment(agent.qualified) === name)
  const [agent] = bearers
  return agent && bearers.length === 1 ? { agent } : undefined
}

/**
 * The name that work of a target is assigned to: the one session that its agent has. Undefined when any of several
 * sessions may claim it.
 */
export function assigneeOf(
  { namedSessions }: Pick<CityConfig, 'namedSessions'>,
  target: RouteTarget,
): string | undefined {
  const { agent, assignee } = target
  if (assignee !== undefined || isPool(agent) || agent.maxActive === 0) return assignee
  const names = namedSessions.filter(({ template }) => template === agent.qualified).map(({ qualified }) => qualified)
  return names.length === 0 ? agent.qualified : names.length === 1 ? names[0] : undefined
}

function findTarget({ agents, namedSessions }: TargetConfig, name: string): Target | undefined {
  const agent = agents.find(({ qualified }) => qualified === name) ?? agents.find((pool) => isInstance(pool, name))
  if (agent) return { agent }
  const session = namedSessions.find(({ qualified }) => qualified === name)
  const template = session && agents.find(({ qualified }) => qualified === session.template)
  return template && { agent: template, assignee: session.qualified }
}

type PoolFields = Pick<AgentConfig, 'maxActive' | 'minActive' | 'namepool' | 'scaleCheck'>

/** True if an agent runs several sessions together, or one whose number is scaled. */
export function isPool({ maxActive, minActive, namepool, scaleCheck }: PoolFields): boolean {
  if (namepool.length > 0 || maxActive === undefined || maxActive > 1) return true
  return maxActive === 1 && (minActive > 0 || scaleCheck !== undefined)
}

/** True if a name is one of the instances of a pool: `worker-3` of `worker`. */
function isInstance(agent: AgentConfig, name: string): boolean {
  if (!isPool(agent) || !name.startsWith(`${agent.qualified}-`)) return false
  const suffix = name.slice(agent.qualified.length + 1)
  if (agent.namepool.includes(suffix)) return true
  return /^[1-9]\d*$/.test(suffix) && Number(suffix) <= (agent.maxActive ?? Number.POSITIVE_INFINITY)
}
