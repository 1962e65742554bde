import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'

const ALIAS = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*(\/[a-zA-Z0-9][a-zA-Z0-9_.-]*)*$/

/** Checks what a person wants to call a session; '' for no alias. */
export function checkAlias(wanted: string): string {
  const alias = wanted.trim()
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

const invalid = (alias: string, why: string) =>
  new AppError('invalid-request', `invalid: session alias "${alias}" ${why}`)

/** A qualified name as a word: `rig/worker.a` → `rig--worker__a`. */
export const sanitize = (name: string): string => name.replaceAll('/', '--').replaceAll('.', '__')

/** The last part of a qualified name. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** The run-time name of a session that nothing else names. */
export const defaultSessionName = (id: string): string => `s-${sanitize(id)}`

/** The run-time name of a pool session: unique for good, so that work never passes on by name. */
export const poolSessionName = (agent: string, id: string): string => `${sanitize(lastSegment(agent))}-${id}`

/** The run-time name of a session a person made of an agent that runs several. */
export const adhocSessionName = (agent: string): string =>
  `${sanitize(lastSegment(agent))}-adhoc-${randomBytes(5).toString('hex')}`

/** The name of one instance of an agent: the agent's own when there is but one, else with its number or given name. */
export function instanceName(
  agent: { qualified: string; maxActive: number | undefined; namepool: readonly string[] },
  slot: number,
): string {
  if (agent.maxActive === 1) return agent.qualified
  const given = agent.namepool[slot - 1]
  if (given === undefined) return `${agent.qualified}-${slot}`
  return agent.qualified.slice(0, agent.qualified.length - lastSegment(agent.qualified).length) + given
}
