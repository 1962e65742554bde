import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { lastSegment } from '../../core/text/index.ts'

const ALIAS = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*(\/[a-zA-Z0-9][a-zA-Z0-9_.-]*)*$/

/** Validates an alias that a caller chose; '' for none. */
export function checkAlias(requested: string): string {
  const alias = requested.trim()
  if (alias === '') return ''
  if (alias.length > 64) throw invalid(alias, 'is longer than 64 characters')
  if (!ALIAS.test(alias)) {
    throw invalid(
      alias,
      'may hold letters, digits, `_`, `.`, `-` and single slashes, each part beginning with a letter or digit',
    )
  }
  if (alias.startsWith('s-')) throw invalid(alias, 'may not begin with `s-`, which names sessions without one')
  if (alias === 'human') throw invalid(alias, 'stands for people')
  if (/^gc-[0-9]+$/.test(alias)) throw invalid(alias, 'looks like the id of a bead')
  return alias
}

const invalid = (alias: string, problem: string) =>
  new AppError('invalid-request', `invalid: session alias "${alias}" ${problem}`)

/** A qualified name without separators: `rig/worker.a` → `rig--worker__a`. */
export const sanitize = (name: string): string => name.replaceAll('/', '--').replaceAll('.', '__')

/** The run-time name of a session without another name. */
export const defaultSessionName = (id: string): string => `s-${sanitize(id)}`

/** The run-time name of a pool session. It is never used again, so that no other session gets its work by name. */
export const poolSessionName = (agent: string, id: string): string => `${sanitize(lastSegment(agent))}-${id}`

/** The run-time name of a session that a person created of an agent that runs several. */
export const adhocSessionName = (agent: string): string =>
  `${sanitize(lastSegment(agent))}-adhoc-${randomBytes(5).toString('hex')}`

/** Facts about a session that form its name among those of its agent. */
interface NamedSession {
  readonly id: string
  readonly template: string
  readonly agentName: string
  readonly sessionName: string
}

/**
 * The name of a session among those of an agent that runs several: that of its instance; without one, the agent's with
 * what the session's run-time name adds to it, or with its id.
 */
export function memberName({ id, template, agentName, sessionName }: NamedSession): string {
  if (agentName !== '' && agentName !== template) return agentName
  const own = `${sanitize(lastSegment(template))}-`
  return `${template}-${sessionName.startsWith(own) ? sessionName.slice(own.length) : id}`
}

/** Facts about an agent that form the names of its instances. */
interface NamedAgent {
  readonly qualified: string
  readonly dir?: string
  readonly binding?: string
  readonly maxActive: number | undefined
  readonly namepool: readonly string[]
}

/**
 * The name of one instance of an agent: the agent's own when it has only one, else with its slot, or with its name of the
 * pool in the place of the agent's local name.
 */
export function instanceName(agent: NamedAgent, slot: number): string {
  if (agent.maxActive === 1) return agent.qualified
  const poolName = agent.namepool[slot - 1]
  if (poolName === undefined) return `${agent.qualified}-${slot}`
  const { dir, binding } = agent
  return `${dir === undefined ? '' : `${dir}/`}${binding === undefined ? '' : `${binding}.`}${poolName}`
}

/**
 * The name of the instance that a name means, also before it ever ran: by its number even when the pool has a name for it.
 * Undefined when it means none.
 */
export function instanceNamed(agent: NamedAgent, name: string): string | undefined {
  if (agent.maxActive === 1) return undefined
  const most = agent.maxActive ?? Number.POSITIVE_INFINITY
  const number = name.startsWith(`${agent.qualified}-`) ? name.slice(agent.qualified.length + 1) : ''
  if (/^[1-9]\d{0,6}$/.test(number) && Number(number) <= most) return instanceName(agent, Number(number))
  const isOfPool = agent.namepool.some((_, index) => index < most && instanceName(agent, index + 1) === name)
  return isOfPool ? name : undefined
}
