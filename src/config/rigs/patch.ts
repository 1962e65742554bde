import {
  boolean,
  confineTable,
  type Declaration,
  identifier,
  locationOf,
  mergeValues,
  PREFIX,
  requiredString,
  string,
  type ValuesOf,
  written,
} from '../declare/index.ts'
import { type Diagnostics, suggestion, withHint } from '../files/index.ts'
import { landTable } from '../land/index.ts'
import type { RigFields } from './fields.ts'

/** `[[patches.rigs]]`. */
export const RIG_PATCH = {
  name: requiredString('name'),
  path: string('path'),
  prefix: identifier('prefix', PREFIX, '"-" or "_"'),
  defaultBranch: string('default_branch'),
  suspended: boolean('suspended'),
  suspendedOnStart: boolean('suspended_on_start'),
  confine: confineTable,
  land: landTable,
  written,
}
export type RigPatchFields = ValuesOf<typeof RIG_PATCH>

export function patchRig(rigs: Rigs, patch: Declaration<RigPatchFields>, diagnostics: Diagnostics): Rigs {
  const { name, written: _, ...values } = patch.values
  if (name === undefined) return rigs
  const target = rigs.find((rig) => rig.values.name === name)
  if (!target) {
    const hint = suggestion(
      name,
      rigs.map((rig) => rig.values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`there is no rig "${name}"`, hint))
  }
  return rigs.map((rig) => (rig === target ? mergeValues(rig, values, patch) : rig))
}

type Rigs = readonly Declaration<RigFields>[]
