import { type AgentPatchFields, RIG_AGENT_PATCH } from '../agents/index.ts'
import {
  boolean,
  confineTable,
  type Declaration,
  declareFields,
  type FieldReader,
  identifier,
  integer,
  PREFIX,
  requiredString,
  type SectionReader,
  string,
  stringMap,
  strings,
  type ValuesOf,
} from '../declare/index.ts'
import { landTable } from '../land/index.ts'
import { importsOf } from '../packs/index.ts'
import { SESSION_SLEEP, type SessionSleepFields } from '../settings/index.ts'

const sleep: FieldReader<Declaration<SessionSleepFields>> = {
  key: 'session_sleep',
  read: (section) =>
    section.has('session_sleep') ? declareFields(section.child('session_sleep'), SESSION_SLEEP) : undefined,
}

/** The agents of the rig that it changes. */
function agentPatches(key: string): FieldReader<Declaration<AgentPatchFields>[]> {
  const read = (section: SectionReader) =>
    section.has(key) ? section.blocks(key, 'agent').map((block) => declareFields(block, RIG_AGENT_PATCH)) : undefined
  return { key, read }
}

/** `[[rigs]]`: a folder that agents work on. */
export const RIG = {
  name: requiredString('name'),
  path: string('path'),
  prefix: identifier('prefix', PREFIX, '"-" or "_"'),
  defaultBranch: string('default_branch'),
  formulasDir: string('formulas_dir'),
  formulaVars: stringMap('formula_vars'),
  defaultSlingTarget: string('default_sling_target'),
  defaultSlingTargets: strings('default_sling_targets'),
  suspendedOnStart: boolean('suspended_on_start'),
  /** The old name of suspended_on_start. */
  suspended: boolean('suspended'),
  maxActive: integer('max_active_sessions', { min: -1 }),
  sleep,
  confine: confineTable,
  land: landTable,
  imports: importsOf('imports'),
  /** Packs that it imports in the older way, without a name. */
  includes: strings('includes'),
  overrides: agentPatches('overrides'),
  patches: agentPatches('patches'),
}
export type RigFields = ValuesOf<typeof RIG>
