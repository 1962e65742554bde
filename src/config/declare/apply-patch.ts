import type { Diagnostics } from '../files/index.ts'
import type { AgentFields } from './agent.ts'
import { type Declaration, locationOf } from './declaration.ts'
import type { NamedSessionFields } from './named-session.ts'
import type { FieldOrigin } from './origin.ts'
import type { AgentPatchFields, NamedSessionPatchFields } from './patches.ts'

/** Keys of a patch that select or change its agent and are not fields of the agent. */
const PARTS = new Set(['name', 'dir', 'pool', 'appended', 'envRemove', 'written'])

/** An agent with what a patch says of it. */
export function applyAgentPatch(
  agent: Declaration<AgentFields>,
  patch: Declaration<AgentPatchFields>,
): Declaration<AgentFields> {
  const { pool = {}, appended = {}, envRemove = [] } = patch.values
  const fields = Object.fromEntries(Object.entries(patch.values).filter(([name]) => !PARTS.has(name)))
  const changed = mergeValues(agent, { ...pool, ...fields }, patch)
  const added = Object.entries(appended).map(([name, items]) => [name, [...listOf(changed, name), ...items]])
  return withoutEnv(mergeValues(changed, Object.fromEntries(added), patch), envRemove)
}

/** Puts values over those of a declaration: tables are merged, everything else is replaced. */
export function mergeValues<Values extends object>(
  declaration: Declaration<Values>,
  values: Readonly<Record<string, unknown>>,
  patch: Declaration<object>,
): Declaration<Values> {
  const merged: Record<string, unknown> = { ...declaration.values }
  const origins: Record<string, FieldOrigin | undefined> = { ...declaration.origins }
  for (const [name, value] of Object.entries(values)) {
    const merge = declaration.fields[name]?.merge
    const lower = merged[name]
    merged[name] = merge && lower !== undefined ? merge(lower, value) : value
    origins[name] = Reflect.get(patch.origins, name) ?? { block: patch.block, line: patch.block.line, key: name }
  }
  // The names and values are those of the fields of the declaration, which the compiler does not follow.
  return { ...declaration, values: merged as Partial<Values>, origins: origins as typeof declaration.origins }
}

function listOf({ values }: Declaration<AgentFields>, name: string): readonly string[] {
  const list: unknown = Reflect.get(values, name)
  return Array.isArray(list) ? list : []
}

function withoutEnv(agent: Declaration<AgentFields>, names: readonly string[]): Declaration<AgentFields> {
  const { env } = agent.values
  if (!env || names.length === 0) return agent
  const remaining = Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
  return { ...agent, values: { ...agent.values, env: remaining } }
}

/** The name of an agent or session without the binding of its pack. */
export const localName = (name: string, binding: string | undefined): string =>
  binding !== undefined && name.startsWith(`${binding}.`) ? name.slice(binding.length + 1) : name

/** Named sessions with what a patch says of the one that it names. */
export function patchNamedSession(
  sessions: readonly Declaration<NamedSessionFields>[],
  patch: Declaration<NamedSessionPatchFields>,
  diagnostics: Diagnostics,
): readonly Declaration<NamedSessionFields>[] {
  const { name, template, dir, mode } = patch.values
  const field = name === undefined ? 'template' : 'name'
  const named = sessions.filter(({ values }) => {
    const matches = name === undefined ? values.template === template : (values.name ?? values.template) === name
    return matches && (dir === undefined || values.dir === dir)
  })
  const ofCity = dir === undefined ? named.filter(({ values }) => values.dir === undefined) : []
  const matching = ofCity.length === 1 ? ofCity : named
  const [target] = matching
  if (!target || matching.length > 1) {
    const count = target ? 'several named sessions' : 'no named session'
    diagnostics.error(locationOf(patch, field), `there ${target ? 'are' : 'is'} ${count} "${name ?? template ?? ''}"`)
    return sessions
  }
  return sessions.map((each) => (each === target && mode ? mergeValues(each, { mode }, patch) : each))
}
