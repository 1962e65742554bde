import { type Declaration, declareFields } from './declaration.ts'
import type { FieldSet, ValuesOf } from './fields.ts'
import {
  AGENT_PATCH,
  MONITOR_PATCH,
  NAMED_SESSION_PATCH,
  type PatchDeclarations,
  PROVIDER_PATCH,
  RIG_PATCH,
} from './patches.ts'
import type { SectionReader } from './section-reader.ts'

/** The blocks of an array of tables, such as `[[agent]]`. */
export const blocksOf = <Fields extends FieldSet>(reader: SectionReader, key: string, fields: Fields, kind?: string) =>
  reader.blocks(key, kind).map((block) => declareFields(block, fields))

/** The tables under a name, such as `[providers.<name>]`. */
export function tablesOf<Fields extends FieldSet>(
  reader: SectionReader,
  key: string,
  fields: Fields,
): ReadonlyMap<string, Declaration<ValuesOf<Fields>>> {
  const tables = reader.child(key, `${key}.*`)
  return new Map(tables.keys.map((name) => [name, declareFields(tables.child(name, key), fields)]))
}

/** `[formulas] dir` of older files, which may name the one folder that formulas are in anyway. */
export function requireFormulaFolder(reader: SectionReader): void {
  if (!reader.has('formulas')) return
  const section = reader.child('formulas')
  const dir = section.string('dir')
  if (dir !== undefined && !/^(\.\/)?formulas\/?$/.test(dir)) {
    section.error('dir', 'formulas live in formulas/; take this key out')
  }
}

/** Entries of `[patches]` for agents and named sessions. */
export function agentPatchesOf(reader: SectionReader): PatchDeclarations {
  const patches = reader.child('patches')
  return {
    agents: blocksOf(patches, 'agent', AGENT_PATCH, 'agent'),
    namedSessions: blocksOf(patches, 'named_session', NAMED_SESSION_PATCH, 'named_session'),
    ...{ rigs: [], providers: [], monitors: [] },
  }
}

/** Everything that `[patches]` of a city says. */
export function cityPatchesOf(reader: SectionReader): PatchDeclarations {
  const patches = reader.child('patches')
  return {
    ...agentPatchesOf(reader),
    rigs: blocksOf(patches, 'rigs', RIG_PATCH, 'rigs'),
    providers: blocksOf(patches, 'providers', PROVIDER_PATCH, 'providers'),
    monitors: blocksOf(patches, 'github_pr_monitor', MONITOR_PATCH, 'github.pr_monitor'),
  }
}
