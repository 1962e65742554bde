import type { AgentFields } from '../../declare/agent.ts'
import { localName } from '../../declare/apply-patch.ts'
import { type Declaration, withValue } from '../../declare/declaration.ts'
import type { NamedSessionFields } from '../../declare/named-session.ts'
import { qualify } from '../../declare/names.ts'
import type { DeclaredBlock } from '../../declare/origin.ts'

/** Where something of a pack is used: under which name of the pack, and in which rig. */
export interface Stamp {
  readonly binding: string | undefined
  readonly rig: string | undefined
  /** The block that says so. */
  readonly block: DeclaredBlock
}

/** An agent of a pack as the city or a rig knows it. */
export function stampAgent(agent: Declaration<AgentFields>, stamp: Stamp): Declaration<AgentFields> {
  const { name = '', dependsOn, dir: declared } = agent.values
  const { binding, rig } = stamp
  const dir = declared ?? rig
  const stamped = stampName(agent, name, stamp)
  const values = {
    ...stamped.values,
    ...(dir !== undefined && { dir }),
    ...(dependsOn && { dependsOn: dependsOn.map((other) => completeName(other, binding, dir)) }),
  }
  const origins = dir === declared ? stamped.origins : { ...stamped.origins, dir: originIn(stamp.block) }
  return { ...stamped, values, origins }
}

/** A named session of a pack as the city or a rig knows it. */
export function stampNamedSession(
  session: Declaration<NamedSessionFields>,
  stamp: Stamp,
): Declaration<NamedSessionFields> {
  const { name, template = '', dir: declared } = session.values
  const { binding, rig } = stamp
  const named = name === undefined ? session : stampName(session, name, stamp)
  const completed = template.includes('/') || template.includes('.') ? template : boundName(binding, template)
  const dir = declared ?? rig
  return {
    ...withValue(named, 'template', completed, named.origins.template),
    ...(binding !== undefined && { binding }),
    values: { ...named.values, template: completed, ...(dir !== undefined && { dir }) },
  }
}

function stampName<Values extends { name: string }>(
  declaration: Declaration<Values>,
  name: string,
  { binding }: Stamp,
): Declaration<Values> {
  if (binding === undefined) return declaration
  const values = { ...declaration.values, name: boundName(binding, localName(name, declaration.binding)) }
  return { ...declaration, values, binding }
}

const originIn = (block: DeclaredBlock) => ({ block, line: block.line, key: 'dir' })

export const boundName = (binding: string | undefined, name: string): string =>
  binding === undefined ? name : `${binding}.${name}`

/** The agent that another depends on: a bare name is of its own pack and rig; one with "/" is complete. */
function completeName(name: string, binding: string | undefined, dir: string | undefined): string {
  if (name.includes('/')) return name
  if (!name.includes('.')) return qualify(dir, boundName(binding, name))
  return binding !== undefined && name.startsWith(`${binding}.`) ? qualify(dir, name) : name
}
