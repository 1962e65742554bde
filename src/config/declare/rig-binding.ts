import type { BlockDeclarations } from './city-declarations.ts'
import { type Declaration, withValue } from './declaration.ts'
import type { RigFields } from './rig.ts'

/** A rig lies where site.toml says, on this machine. */
export function bindRig(
  rig: Declaration<RigFields>,
  bindings: BlockDeclarations['rigBindings'],
): Declaration<RigFields> {
  const binding = bindings.findLast(({ values }) => values.name !== undefined && values.name === rig.values.name)
  return withValue(rig, 'path', binding?.values.path, binding?.origins.path)
}
