import {
  type Declaration,
  duration,
  type FieldReader,
  integer,
  localName,
  locationOf,
  mergeValues,
  qualify,
  requiredString,
  type SectionReader,
  string,
  strings,
  type ValuesOf,
  written,
} from '../declare/index.ts'
import { type Diagnostics, suggestion, withHint } from '../files/index.ts'
import { type AgentFields, FOLDER_AGENT } from './agent.ts'

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
      Object.entries(POOL).flatMap(([name, field]) => {
        const value = field.read(table)
        return value === undefined ? [] : [[name, value]]
      }),
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

type Agents = readonly Declaration<AgentFields>[]

/** Applies patches in their order; `onMiss` gets those that are for no agent. */
export function patchAgents(
  agents: Agents,
  declared: readonly Declaration<AgentPatchFields>[],
  onMiss: (patch: Declaration<AgentPatchFields>) => void,
): Agents {
  return declared.reduce((current, patch) => {
    const index = findTarget(current, patch)
    const target = current[index]
    if (target) return current.with(index, applyAgentPatch(target, patch))
    if (patch.values.name !== undefined) onMiss(patch)
    return current
  }, agents)
}

/** The agent of a qualified name; in an older form, the first of that bare name in the same place. */
function findTarget(agents: Agents, { values: { name, dir } }: Declaration<AgentPatchFields>): number {
  const inPlace = ({ values }: Declaration<AgentFields>) => (values.dir ?? '') === (dir ?? '')
  const qualified = agents.findIndex((agent) => inPlace(agent) && agent.values.name === name)
  if (qualified >= 0) return qualified
  return agents.findIndex((agent) => inPlace(agent) && localName(agent.values.name ?? '', agent.binding) === name)
}

export function reportMissingAgent(
  patch: Declaration<AgentPatchFields>,
  agents: Agents,
  diagnostics: Diagnostics,
): void {
  const name = qualify(patch.values.dir, patch.values.name ?? '')
  const names = agents.map(({ values }) => qualify(values.dir, values.name ?? ''))
  diagnostics.error(locationOf(patch, 'name'), withHint(`there is no agent "${name}"`, suggestion(name, names)))
}

export function patchRigAgent(
  agents: Agents,
  rig: string | undefined,
  patch: Declaration<AgentPatchFields>,
  diagnostics: Diagnostics,
): Agents {
  const { name } = patch.values
  if (name === undefined) return agents
  const ofRig = agents.filter(({ values }) => values.dir === rig)
  const target =
    ofRig.find(({ values }) => values.name === name) ??
    ofRig.find(({ values, binding }) => localName(values.name ?? '', binding) === name)
  if (!target) {
    const hint = suggestion(
      name,
      ofRig.map(({ values }) => values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`rig "${rig}" has no agent "${name}"`, hint))
  }
  return agents.map((agent) => (agent === target ? applyAgentPatch(agent, patch) : agent))
}
