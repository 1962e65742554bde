import { join } from 'node:path'
import { byKey } from '../../../core/text/index.ts'
import { BUILTINS } from '../../../programs/presets.ts'
import {
  AGENT,
  type AgentFields,
  declareAgentFolders,
  patchAgents,
  patchNamedSession,
  patchRigAgent,
  reportMissingAgent,
  withAgentDefaults,
  withoutAgents,
} from '../../agents/index.ts'
import type { CityDeclarations } from '../../city/index.ts'
import {
  AGENT_NAME,
  type Declaration,
  declareFields,
  type FieldOrigin,
  IMPLICIT_AGENTS,
  localName,
  locationOf,
  openFile,
  qualify,
  withValue,
} from '../../declare/index.ts'
import { SITE_FILE } from '../../files/index.ts'
import { type PackGlobalFields, WORKER_PROMPT } from '../../packs/index.ts'
import { PROVIDER, type ProviderConfig, patchProvider } from '../../providers/index.ts'
import { patchRig, RIG_BINDING, SITE } from '../../rigs/index.ts'
import { patchMonitor } from '../../settings/index.ts'
import { cityFile } from './city-file.ts'
import { imports } from './imports.ts'
import type { Layer, LayerContext } from './layer.ts'
import { mergeDeclarations } from './merge.ts'
import { readPackFile } from './pack-file.ts'

/** An agent for each provider of a city that is made of packs, in the city and in each rig. */
const implicitAgents: Layer = {
  name: IMPLICIT_AGENTS,
  isEditable: false,
  apply(lower, context) {
    const implied = impliedAgents(lower, workerPrompt(context))
    if (implied.length === 0) return lower
    return { ...lower, agents: [...lower.agents, ...patchAgents(implied, lower.patches.agents, () => {})] }
  },
}

/** The prompt of agents that no one wrote one for, if the packs of gc are on this machine. */
function workerPrompt({ files, folders }: LayerContext): string | undefined {
  const path = join(folders.builtins, 'core', WORKER_PROMPT)
  return files.root(join(folders.builtins, 'core')).text(WORKER_PROMPT) === undefined ? undefined : path
}

/** The names of the agents that providers imply. */
const impliedNames = (lower: CityDeclarations): ReadonlySet<string> =>
  new Set(impliedAgents(lower).map(({ values }) => qualify(values.dir, values.name ?? '')))

function impliedAgents(lower: CityDeclarations, promptFile?: string): Declaration<AgentFields>[] {
  if (!lower.pack) return []
  const declared = new Set(lower.agents.map(({ values }) => qualify(values.dir, values.name ?? '')))
  const places = [undefined, ...lower.rigs.flatMap(({ values }) => values.name ?? [])]
  return places.flatMap((dir) =>
    providersOf(lower)
      .filter(([name]) => AGENT_NAME.test(name) && !declared.has(qualify(dir, name)))
      .map(([name, origin]) => implied(name, dir, origin, promptFile)),
  )
}

/** The providers that the city declares or names, in order, and what does. */
function providersOf({ providers, workspace, agentDefaults }: CityDeclarations): [string, FieldOrigin][] {
  const named = [workspace, agentDefaults].flatMap((section): [string, FieldOrigin][] => {
    const [name, origin] = [section?.values.provider, section?.origins.provider]
    return name === undefined || origin === undefined ? [] : [[name, origin]]
  })
  const declared = [...providers].map(([name, { block }]): [string, FieldOrigin] => [
    name,
    { block, line: block.line, key: 'name' },
  ])
  return [...new Map([...named, ...declared])].sort(byKey)
}

function implied(
  name: string,
  dir: string | undefined,
  origin: FieldOrigin,
  promptFile: string | undefined,
): Declaration<AgentFields> {
  const block = { ...origin.block, layer: implicitAgents }
  return {
    ...{ block, fields: AGENT },
    values: { name, provider: name, ...(dir !== undefined && { dir }), ...(promptFile && { promptFile }) },
    origins: {
      ...{ name: origin, provider: origin },
      ...(dir !== undefined && { dir: origin }),
      ...(promptFile && { promptFile: origin }),
    },
  }
}

/** `[patches]` of pack.toml, then of city.toml. Those of agents that are only implied are applied once these exist. */
const patches: Layer = {
  name: 'patches',
  isEditable: true,
  apply(lower, { diagnostics }) {
    const implied = impliedNames(lower)
    const { agents, rigs, providers, namedSessions, monitors } = lower.patches
    return {
      ...lower,
      agents: patchAgents(lower.agents, agents, (patch) => {
        if (!implied.has(qualify(patch.values.dir, patch.values.name ?? '')))
          reportMissingAgent(patch, lower.agents, diagnostics)
      }),
      namedSessions: namedSessions.reduce(
        (current, patch) => patchNamedSession(current, patch, diagnostics),
        lower.namedSessions,
      ),
      rigs: rigs.reduce((current, patch) => patchRig(current, patch, diagnostics), lower.rigs),
      providers: providers.reduce((current, patch) => patchProvider(current, patch, diagnostics), lower.providers),
      monitors: monitors.reduce((current, patch) => patchMonitor(current, patch, diagnostics), lower.monitors),
    }
  },
}

/** `overrides` of each rig, then its `patches`; both name agents of the rig by their own names. */
const rigPatches: Layer = {
  name: 'rig patches',
  isEditable: true,
  apply: (lower, { diagnostics }) => ({
    ...lower,
    agents: lower.rigs.reduce(
      (agents, { values: { name, overrides = [], patches = [] } }) =>
        [...overrides, ...patches].reduce((current, patch) => patchRigAgent(current, name, patch, diagnostics), agents),
      lower.agents,
    ),
  }),
}

interface Global {
  readonly rig: string | undefined
  readonly declaration: Declaration<PackGlobalFields>
  readonly commands: readonly string[]
}

/** `[global]` of packs: those of the city reach every agent, those of a rig its agents; each pack once. */
const packGlobals: Layer = {
  name: 'pack globals',
  isEditable: false,
  apply(lower, { files: { city } }) {
    const own = lower.pack && { pack: lower.pack.pack, rig: undefined, globals: lower.pack.globals }
    const seen = new Set<string>()
    const globals = [...lower.packs, ...(own ? [own] : [])].flatMap(({ pack, rig, globals: declaration }): Global[] => {
      const key = `${rig ?? ''}/${pack.name}`
      const commands = declaration?.values.sessionLive
      if (!declaration || !commands || seen.has(key)) return []
      seen.add(key)
      const folder = pack.folder || city.path
      return [{ rig, declaration, commands: commands.map((command) => fillConfigDir(command, folder)) }]
    })
    if (globals.length === 0) return lower
    return { ...lower, agents: lower.agents.map((agent) => globals.reduce(withGlobal, agent)) }
  },
}

/** `{{.ConfigDir}}` of a pack's own commands is the pack's folder, regardless of the session. */
const fillConfigDir = (command: string, folder: string): string =>
  command.replaceAll(/\{\{-?\s*\.ConfigDir\s*-?\}\}/g, () => folder)

function withGlobal(agent: Declaration<AgentFields>, { rig, declaration, commands }: Global): Declaration<AgentFields> {
  if (rig !== undefined && agent.values.dir !== rig) return agent
  const live = [...(agent.values.sessionLive ?? []), ...commands]
  return withValue(agent, 'sessionLive', live, declaration.origins.sessionLive)
}

/** `[[pack.requires]]`: the agents that packs need others to bring. */
const packRequirements: Layer = {
  name: 'pack requirements',
  isEditable: false,
  apply(lower, { diagnostics }) {
    const own = lower.pack ? [{ pack: lower.pack.pack, rig: undefined, requirements: lower.pack.requirements }] : []
    const namesIn = (rig: string | undefined) =>
      new Set(
        lower.agents
          .filter(({ values }) => rig === undefined || values.dir === rig)
          .map(({ values, binding }) => localName(values.name ?? '', binding)),
      )
    for (const { pack, rig, requirements } of [...lower.packs, ...own]) {
      for (const requirement of requirements) {
        const { agent, scope = 'city' } = requirement.values
        const place = scope === 'rig' ? rig : undefined
        if (agent === undefined || (scope === 'rig' && rig === undefined) || namesIn(place).has(agent)) continue
        const message = `pack "${pack.name}" needs an agent "${agent}" in ${place ? `rig "${place}"` : 'the city'}; import a pack that has one`
        diagnostics.error(locationOf(requirement, 'agent'), message)
      }
    }
    return lower
  },
}

/** The providers that gc knows automatically; a declared provider names one as its base. */
const presets: Layer = {
  name: 'builtin',
  isEditable: false,
  apply: (lower) => mergeDeclarations(lower, { presets: new Map([...BUILTINS].map(declarePreset)) }),
}

function declarePreset([name, values]: [string, ProviderConfig]): [string, Declaration<ProviderConfig>] {
  const section = `[providers.${name}]`
  const block = { layer: presets, file: 'gc', line: 1, section, offset: undefined }
  const origins = Object.fromEntries(
    Object.entries(PROVIDER).flatMap(([field, { key }]) =>
      Object.hasOwn(values, field) ? [[field, { block, line: 1, key }]] : [],
    ),
  )
  return [name, { block, values, origins, fields: PROVIDER }]
}

/** Settings of `.gc/site.toml` for this machine: the city's name here, and the folders of its rigs. */
const siteFile: Layer = {
  name: 'site',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const reader = openFile({
      ...{ layer: siteFile, diagnostics, file: SITE_FILE, toml: city.toml(SITE_FILE) },
      ...{ unknownKeys: 'warning', kind: 'site' },
    })
    const site = declareFields(reader, SITE)
    const rigBindings = reader.blocks('rig').map((block) => declareFields(block, RIG_BINDING))
    reader.finish()
    return mergeDeclarations(lower, { site, rigBindings })
  },
}

/** The workspace's provider, or else its command, is what agents run that name neither. */
const workspaceDefaults: Layer = {
  name: 'workspace',
  isEditable: true,
  apply(lower) {
    const { workspace } = lower
    if (!workspace) return lower
    const { values, origins } = workspace
    const agents = lower.agents.map((agent) => {
      if (agent.values.provider !== undefined || agent.values.startCommand) return agent
      if (values.provider !== undefined) return withValue(agent, 'provider', values.provider, origins.provider)
      return withValue(agent, 'startCommand', values.startCommand, origins.startCommand)
    })
    return { ...lower, agents }
  },
}

/** The city's own pack.toml, which stands under city.toml. */
const packFile: Layer = {
  name: 'pack',
  isEditable: true,
  apply(lower, context) {
    const file = readPackFile({ layer: packFile, folder: context.files.city.path, isCity: true }, context)
    if (!file) return lower
    const { pack, schema, requirements, globals, agentDefaults, includes, scripts, ...declared } = file
    return mergeDeclarations(lower, {
      ...declared,
      pack: { pack, schema, includes, requirements, globals, agentDefaults, scripts },
    })
  },
}

/** The agents that the city declares by a folder of their own in `agents/`. */
const agentFolders: Layer = {
  name: 'agents',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const { pack, agents: inline } = lower
    const root = { layer: agentFolders, root: city, base: '', isPack: pack !== undefined, diagnostics }
    const folders = withoutAgents(declareAgentFolders(root), pack ? inline : [])
    return { ...lower, agents: withAgentDefaults([...inline, ...folders], pack?.agentDefaults) }
  },
}

/** `[agent_defaults]` fills what agents leave open. */
const agentDefaults: Layer = {
  name: 'agent_defaults',
  isEditable: true,
  apply: (lower) => ({ ...lower, agents: withAgentDefaults(lower.agents, lower.agentDefaults) }),
}

/**
 * The steps of composing a city's configuration. First what the city's own files declare, each over the ones before;
 * then what they import, which stands under all of it; then what changes agents, in its order; the defaults at the end
 * only fill what is still open. A new step is a file beside this one and a line in this list.
 */
export const LAYERS: readonly Layer[] = [
  presets,
  packFile,
  agentFolders,
  cityFile,
  siteFile,
  imports,
  patches,
  rigPatches,
  packGlobals,
  packRequirements,
  implicitAgents,
  agentDefaults,
  workspaceDefaults,
]
