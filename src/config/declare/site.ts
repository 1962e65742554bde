import { type Declaration, withValue } from './declaration.ts'
import { boolean, identifier, requiredString, type ValuesOf } from './fields.ts'
import { CITY_NAME, PREFIX } from './names.ts'
import type { RigFields } from './rig.ts'

/** The top of `.gc/site.toml`: what the city is called on this machine, and how much its sessions may do unasked. */
export const SITE = {
  workspaceName: identifier('workspace_name', CITY_NAME, '".", "-" or "_"'),
  workspacePrefix: identifier('workspace_prefix', PREFIX, '"-" or "_"'),
  strict: boolean('strict'),
}
export type SiteFields = ValuesOf<typeof SITE>

/** `[[rig]]` of `.gc/site.toml`: where a rig lies on this machine. */
export const RIG_BINDING = { name: requiredString('name'), path: requiredString('path') }
export type RigBindingFields = ValuesOf<typeof RIG_BINDING>

/** A rig lies where site.toml says, on this machine. */
export function bindRig(
  rig: Declaration<RigFields>,
  bindings: readonly Declaration<RigBindingFields>[],
): Declaration<RigFields> {
  const binding = bindings.findLast(({ values }) => values.name !== undefined && values.name === rig.values.name)
  return withValue(rig, 'path', binding?.values.path, binding?.origins.path)
}
