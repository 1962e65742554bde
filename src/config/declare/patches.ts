import { type AgentFields, FOLDER_AGENT } from './agent.ts'
import { confineTable } from './confine.ts'
import type { Declaration } from './declaration.ts'
import {
  boolean,
  duration,
  type FieldReader,
  identifier,
  integer,
  oneOf,
  requiredString,
  string,
  strings,
  type ValuesOf,
} from './fields.ts'
import { landTable } from './land.ts'
import { PREFIX } from './names.ts'
import { PROVIDER } from './provider.ts'
import type { SectionReader } from './section-reader.ts'
import { PULL_REQUEST_MONITOR } from './settings.ts'

/** The whole block by its keys, as it was written. */
const written: FieldReader<Readonly<Record<string, unknown>>> = { key: '', read: (section) => section.plain() }

const POOL = {
  minActive: integer('min', { min: 0 }),
  maxActive: integer('max', { min: -1 }),
  scaleCheck: string('check'),
  drainTimeout: duration('drain_timeout'),
  onBoot: string('on_boot'),
  onDeath: string('on_death'),
}

/** An older form of the limits of a pool. */
const pool: FieldReader<Partial<AgentFields>> = {
  key: 'pool',
  read(section) {
    if (!section.has('pool')) return undefined
    const table = section.child('pool', 'patches.pool')
    return Object.fromEntries(
      Object.entries(POOL).flatMap(([name, field]) => (table.has(field.key) ? [[name, field.read(table)]] : [])),
    )
  },
}

const { dir, ...PATCHABLE } = FOLDER_AGENT

/** The keys of a patch that are added to a list instead of replacing it, by the list. */
const APPENDED = {
  preStart: strings('pre_start_append'),
  sessionSetup: strings('session_setup_append'),
  sessionLive: strings('session_live_append'),
  injectFragments: strings('inject_fragments_append'),
  installAgentHooks: strings('install_agent_hooks_append'),
}

/** Additions to lists of the agent. */
const appended: FieldReader<Partial<Record<keyof typeof APPENDED, string[]>>> = {
  key: '',
  read: (section) =>
    Object.fromEntries(
      Object.entries(APPENDED).flatMap(([name, field]) => {
        const items = field.read(section)
        return items ? [[name, items]] : []
      }),
    ),
}

/** Changes that a patch may make to an agent: any field, and parts of its tables and lists. */
const AGENT_CHANGES = { ...PATCHABLE, pool, appended, envRemove: strings('env_remove'), written }

/** `[[patches.agent]]`. */
export const AGENT_PATCH = { name: requiredString('name'), dir, ...AGENT_CHANGES }
export type AgentPatchFields = ValuesOf<typeof AGENT_PATCH>

/** `[[rigs.overrides]]` and `[[rigs.patches]]`, which name an agent of the rig. */
export const RIG_AGENT_PATCH = { ...AGENT_PATCH, name: agentOrName() }

function agentOrName(): FieldReader<string> {
  const read = (section: SectionReader) =>
    section.has('agent') ? section.requiredString('agent') : section.requiredString('name')
  return { key: 'agent', read }
}

/** `[[patches.named_session]]`. */
export const NAMED_SESSION_PATCH = {
  name: string('name'),
  template: string('template'),
  dir,
  mode: oneOf('mode', ['on_demand', 'always']),
  written,
}
export type NamedSessionPatchFields = ValuesOf<typeof NAMED_SESSION_PATCH>

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

/** `[[patches.providers]]`. */
export const PROVIDER_PATCH = {
  name: requiredString('name'),
  ...PROVIDER,
  envRemove: strings('env_remove'),
  /** True if the patch is in place of the whole declaration. */
  replace: boolean('_replace'),
  written,
}
export type ProviderPatchFields = ValuesOf<typeof PROVIDER_PATCH>

/** `[[patches.github_pr_monitor]]`. */
export const MONITOR_PATCH = { ...PULL_REQUEST_MONITOR, owner: string('owner'), repo: string('repo') }
export type MonitorPatchFields = ValuesOf<typeof MONITOR_PATCH>

/** `[patches]`, each kind in the order in which it is applied. */
export interface PatchDeclarations {
  readonly agents: readonly Declaration<AgentPatchFields>[]
  readonly namedSessions: readonly Declaration<NamedSessionPatchFields>[]
  readonly rigs: readonly Declaration<RigPatchFields>[]
  readonly providers: readonly Declaration<ProviderPatchFields>[]
  readonly monitors: readonly Declaration<MonitorPatchFields>[]
}

export const NO_PATCHES: PatchDeclarations = { agents: [], namedSessions: [], rigs: [], providers: [], monitors: [] }

/** Patches that are applied one after the other. */
export const joinPatches = (first: PatchDeclarations, then: PatchDeclarations): PatchDeclarations => ({
  agents: [...first.agents, ...then.agents],
  namedSessions: [...first.namedSessions, ...then.namedSessions],
  rigs: [...first.rigs, ...then.rigs],
  providers: [...first.providers, ...then.providers],
  monitors: [...first.monitors, ...then.monitors],
})
