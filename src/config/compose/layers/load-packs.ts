import { join } from 'node:path'
import {
  type AgentFields,
  type AgentPatchFields,
  applyAgentPatch,
  declareAgentFolders,
  type NamedSessionFields,
  PACK_PATH,
  patchNamedSession,
  withAgentDefaults,
  withoutAgents,
} from '../../agents/index.ts'
import { type Declaration, type LayerInfo, locationOf, withValue } from '../../declare/index.ts'
import { type Diagnostic, Diagnostics, formatDiagnostic, type SourceLocation } from '../../files/index.ts'
import {
  displayPath,
  type ImportFields,
  type ImportingFolder,
  type Imports,
  locatePack,
  type PackLock,
} from '../../packs/index.ts'
import type { LayerContext } from './layer.ts'
import { type PackFile, readPackFile } from './pack-file.ts'

/** A pack in what another brings, and the name that it has there. */
export interface NestedPack {
  readonly file: PackFile
  readonly binding: string | undefined
}

/** A pack with all that it brings: what it imports before its own. */
export interface LoadedPack {
  readonly file: PackFile
  readonly packs: readonly NestedPack[]
  readonly agents: readonly Declaration<AgentFields>[]
  readonly namedSessions: readonly Declaration<NamedSessionFields>[]
}

/** Name of a pack in a file. */
export interface PackRequest {
  readonly binding: string
  readonly declaration: Declaration<ImportFields>
}

export interface LoadContext extends LayerContext {
  readonly lock: PackLock
  readonly layer: LayerInfo
}

/** Loads packs from their folders, each once. */
export class PackLoader {
  readonly #loaded = new Map<string, LoadedPack | undefined>()

  constructor(private readonly context: LoadContext) {}

  /** The pack of an import; undefined, and an error that says why, when it cannot be loaded. */
  import(request: PackRequest, from: ImportingFolder, stack: readonly string[] = []): LoadedPack | undefined {
    const { binding, declaration } = request
    const { source, version, transitive = true } = declaration.values
    if (source === undefined) return undefined
    const place = locationOf(declaration, 'source')
    const location = locatePack({ binding, source, ...(version && { version }) }, from, this.context)
    if (location.kind === 'missing') {
      this.context.diagnostics.error(place, location.reason)
      return undefined
    }
    const loaded = this.load(location, place, stack)
    return loaded && !transitive ? ownOf(loaded) : loaded
  }

  /** The pack in a folder. */
  load(location: ImportingFolder, place: SourceLocation, stack: readonly string[] = []): LoadedPack | undefined {
    const { folder } = location
    if (stack.includes(folder)) {
      const cycle = [...stack.slice(stack.indexOf(folder)), folder].map((path) => this.#display(path))
      this.context.diagnostics.error(place, `packs import each other in a circle: ${cycle.join(' → ')}`)
      return undefined
    }
    if (!this.#loaded.has(folder)) this.#loaded.set(folder, this.#load(location, place, [...stack, folder]))
    return this.#loaded.get(folder)
  }

  #load(location: ImportingFolder, place: SourceLocation, stack: readonly string[]): LoadedPack | undefined {
    const { layer } = this.context
    const file = readPackFile({ layer, folder: location.folder, isCity: false }, this.context)
    if (!file) return undefined
    const included = file.includes.flatMap((source) => this.#include(source, location, place, stack) ?? [])
    const imported = this.#imports(file.imports, location, stack)
    const own = this.#ownAgents(file)
    const defaulted = withAgentDefaults([...included.flatMap(({ agents }) => agents), ...own], file.agentDefaults)
    if (file.agentDefaults && file.imports.size > 0) {
      const { file: name, line } = file.agentDefaults.block
      const message = 'reaches the agents of this pack, not those of the packs that it imports'
      this.context.diagnostics.lint({ file: name, line, key: '[agent_defaults]' }, message)
    }
    const nested = [...included, ...imported].flatMap((pack) => pack.packs)
    const packs = [...eachOnce(nested), { file, binding: undefined }]
    // What is imported on several ways is the same on each: packs that import each other twice would double it every time.
    const agents = [...new Set([...imported.flatMap((pack) => pack.agents), ...defaulted])]
    const sessions = new Set([...included, ...imported].flatMap(({ namedSessions }) => namedSessions))
    const namedSessions = file.patches.namedSessions.reduce<LoadedPack['namedSessions']>(
      (current, patch) => patchNamedSession(current, patch, this.context.diagnostics),
      [...sessions, ...file.namedSessions],
    )
    return {
      ...{ file, packs, namedSessions },
      agents: this.#patched(agents, file.patches.agents).map((agent) =>
        resolvePackPaths(agent, packs, this.context.diagnostics),
      ),
    }
  }

  /** The packs that a pack imports, by their bindings in order; what has no binding yet gets this one. */
  #imports(imports: Imports, from: ImportingFolder, stack: readonly string[]): LoadedPack[] {
    return sortedImports(imports).flatMap((request) => {
      const loaded = this.import(request, from, stack)
      return loaded ? [bindNested(loaded, request)] : []
    })
  }

  #include(
    source: string,
    from: ImportingFolder,
    place: SourceLocation,
    stack: readonly string[],
  ): LoadedPack | undefined {
    const location = locatePack({ binding: source, source }, from, this.context)
    if (location.kind !== 'missing') return this.load(location, place, stack)
    this.context.diagnostics.error(place, location.reason)
    return undefined
  }

  /** The agents in the pack's own files; one whose agent.toml is wrong cannot start, which harms no one else. */
  #ownAgents({ pack, agents: inline }: PackFile): readonly Declaration<AgentFields>[] {
    const { files, layer } = this.context
    const diagnostics = new Diagnostics()
    const base = this.#display(pack.folder)
    const folders = declareAgentFolders({ layer, root: files.root(pack.folder), base, isPack: true, pack, diagnostics })
    const errors = Map.groupBy(diagnostics.list('error'), ({ file }) => file)
    for (const each of oncePerPack(diagnostics.list('warning', 'lint'))) {
      this.context.diagnostics[each.severity](each, each.message)
    }
    const marked = folders.map((agent) => {
      const [first, ...others] = errors.get(agent.block.file) ?? []
      if (!first) return agent
      for (const each of [first, ...others]) {
        this.context.diagnostics.warning(each, `${each.message}; the agent does not start until this is fixed`)
      }
      return { ...agent, broken: formatDiagnostic(first) }
    })
    return [...inline, ...withoutAgents(marked, inline)].map((agent) => this.#withoutPermissions(agent))
  }

  /** Removes permissions of its sessions, which only the city grants. */
  #withoutPermissions(agent: Declaration<AgentFields>): Declaration<AgentFields> {
    if (agent.values.may === undefined) return agent
    const message = 'a pack cannot give permissions to its agents; give them in a [[patches.agent]] of city.toml'
    this.context.diagnostics.warning(locationOf(agent, 'may'), message)
    const { may: _, ...values } = agent.values
    return { ...agent, values }
  }

  /** A patch of a pack applies to the first agent with its name, or with its name and dir. */
  #patched(
    agents: readonly Declaration<AgentFields>[],
    patches: readonly Declaration<AgentPatchFields>[],
  ): readonly Declaration<AgentFields>[] {
    return patches.reduce((current, patch) => {
      const { name, dir } = patch.values
      const index = current.findIndex(({ values }) => values.name === name && (dir === undefined || values.dir === dir))
      const agent = current[index]
      if (agent) return current.with(index, applyAgentPatch(agent, patch))
      if (name === undefined) return current
      const hint = name.includes('.') ? '; a pack names agents without the binding of their pack' : ''
      this.context.diagnostics.error(locationOf(patch, 'name'), `there is no agent "${name}" in this pack${hint}`)
      return current
    }, agents)
  }

  #display(folder: string): string {
    return displayPath(this.context.files.city.path, folder)
  }
}

/** Diagnostics about the agents of a pack: the same one about several agents once, with their number. */
const oncePerPack = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  [...Map.groupBy(diagnostics, ({ severity, key, message }) => `${severity}\n${key}\n${message}`).values()].flatMap(
    ([first, ...others]) => {
      if (!first || others.length === 0) return first ?? []
      const more = others.length === 1 ? 'one more agent' : `${others.length} more agents`
      return { ...first, message: `${first.message}; also in ${more} of this pack` }
    },
  )

/** Imports in byte order of their bindings. */
export const sortedImports = (imports: Imports): PackRequest[] =>
  [...imports]
    .map(([binding, declaration]) => ({ binding, declaration }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.binding), Buffer.from(b.binding)))

/** Binds the imports of another pack. It keeps its own bindings unless this one exports them. */
export function bindNested(loaded: LoadedPack, { binding, declaration }: PackRequest): LoadedPack {
  const exports = declaration.values.export ?? false
  const packs = loaded.packs.map((nested) => ({
    ...nested,
    binding: exports ? binding : (nested.binding ?? binding),
  }))
  return { ...loaded, packs }
}

/** Packs without those that come again under the same name. */
const eachOnce = (packs: readonly NestedPack[]): readonly NestedPack[] => [
  ...new Map(packs.map((each) => [`${each.binding ?? ''}\n${each.file.pack.folder}`, each])).values(),
]

/** Only what lies in the pack's own folder. */
function ownOf(loaded: LoadedPack): LoadedPack {
  const { folder } = loaded.file.pack
  const isOwn = ({ block }: Declaration<object>) => block.pack?.folder === folder
  return {
    ...loaded,
    packs: loaded.packs.filter(({ file }) => file.pack.folder === folder),
    agents: loaded.agents.filter(isOwn),
    namedSessions: loaded.namedSessions.filter(isOwn),
  }
}

/** The fields that may name a file of an imported pack: `<pack>//<path>`. */
const PATH_FIELDS = ['promptFile', 'overlayDir'] as const

type NamedPacks = readonly { readonly file: { readonly pack: PackFile['pack'] } }[]

/** An agent whose `<pack>//<path>` are files of the packs of these names. */
export const resolvePackPaths = (
  agent: Declaration<AgentFields>,
  packs: NamedPacks,
  diagnostics: Diagnostics,
): Declaration<AgentFields> =>
  PATH_FIELDS.reduce((resolved, field) => resolvePackPath(resolved, field, packs, diagnostics), agent)

function resolvePackPath(
  agent: Declaration<AgentFields>,
  field: (typeof PATH_FIELDS)[number],
  packs: NamedPacks,
  diagnostics: Diagnostics,
): Declaration<AgentFields> {
  const [, name, path] = PACK_PATH.exec(agent.values[field] ?? '') ?? []
  if (name === undefined || path === undefined) return agent
  const folders = new Set(packs.filter(({ file }) => file.pack.name === name).map(({ file }) => file.pack.folder))
  const [folder] = folders
  if (folder !== undefined && folders.size === 1) {
    return withValue(agent, field, join(folder, path), agent.origins[field])
  }
  const reason =
    folders.size > 1 ? `several imported packs are called "${name}"` : `there is no imported pack "${name}"`
  diagnostics.error(locationOf(agent, field), reason)
  return agent
}
