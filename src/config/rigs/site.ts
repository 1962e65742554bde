import {
  boolean,
  CITY_NAME,
  type Declaration,
  identifier,
  PREFIX,
  requiredString,
  type ValuesOf,
  withValue,
} from '../declare/index.ts'
import type { RigFields } from './fields.ts'

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

/** Rigs as they are declared, and where they lie on this machine. */
export interface RigDeclarations {
  readonly rigs: readonly Declaration<RigFields>[]
  readonly rigBindings: readonly Declaration<RigBindingFields>[]
}
