import { resolve } from 'node:path'
import type { AgentFields, NamedSessionFields } from '../../agents/index.ts'
import type { CityDeclarations } from '../../city/index.ts'
import { type Declaration, type DeclaredBlock, localName, locationOf, qualify, withValue } from '../../declare/index.ts'
import { Diagnostics, type SourceLocation } from '../../files/index.ts'
import {
  type ImportedPack,
  LOCK_FILE,
  LockError,
  locatePack,
  PACK_FILE,
  type PackLock,
  parseLock,
  whyUnread,
} from '../../packs/index.ts'
import { bindRig, type RigFields } from '../../rigs/index.ts'
import { withoutPrices } from '../../settings/index.ts'
import type { Layer, LayerContext } from './layer.ts'
import {
  bindNested,
  type LoadContext,
  type LoadedPack,
  PackLoader,
  resolvePackPaths,
  sortedImports,
} from './load-packs.ts'

/** Layers of imports of the city and its rigs, below their own declarations. */
export const imports: Layer = {
  name: 'packs',
  isEditable: false,
  apply(lower, context) {
    const { diagnostics } = context
    const loading = { ...context, lock: readLock(context), layer: imports }
    const loader = new PackLoader(loading)
    const ofCity = usesOfCity(lower, loader, loading)
    const ofRigs = lower.rigs.flatMap((rig) => usesOfRig(rig, lower, loader, loading))
    const uses = [...ofCity, ...ofRigs]
    if (uses.length === 0) return lower
    for (const use of uses) checkServices(use, diagnostics)
    warnOfShadows(lower.agents, ofCity, diagnostics)
    const packs = uses.flatMap(importedBy)
    return { ...withPackValues(lower, uses), ...composeNamed(lower, ofCity, ofRigs, context), packs }
  },
}

function readLock({ files, diagnostics }: LayerContext): PackLock {
  try {
    return parseLock(files.city.text(LOCK_FILE))
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    diagnostics.error({ file: LOCK_FILE, line: error.line, key: '' }, error.message)
    return new Map()
  }
}

/** The packs of a use; what one of them calls a nested pack is its name here unless it has none. */
const importedBy = ({ loaded, binding, rig }: PackUse): ImportedPack[] =>
  loaded.packs.map(({ file, binding: nested }) => ({
    ...{ pack: file.pack, binding: nested ?? binding, rig },
    ...{ requirements: file.requirements, globals: file.globals, scripts: file.scripts },
  }))

/** Providers and the like of packs, where nothing has that name already. */
function withPackValues(lower: CityDeclarations, uses: readonly PackUse[]): CityDeclarations {
  const files = uses.flatMap(({ loaded }) => loaded.packs.map(({ file }) => file))
  const unique = [...new Map(files.map((file) => [file.pack.folder, file])).values()]
  return {
    ...lower,
    providers: firstOfEach([lower.providers, ...unique.map(({ providers }) => providers)]),
    upstreams: firstOfEach([lower.upstreams, ...unique.map(({ upstreams }) => upstreams)]),
    runtimes: firstOfEach([lower.runtimes, ...unique.map(({ runtimes }) => runtimes)]),
    services: [...unique.flatMap(({ services }) => services), ...lower.services],
    webhooks: [...unique.flatMap(({ webhooks }) => webhooks), ...lower.webhooks],
    pricing: [
      ...lower.pricing,
      ...withoutPrices(
        unique.flatMap(({ pricing }) => pricing),
        lower.pricing,
      ),
    ],
  }
}

const firstOfEach = <Value>(maps: readonly ReadonlyMap<string, Value>[]): ReadonlyMap<string, Value> =>
  new Map(maps.toReversed().flatMap((map) => [...map]))

function checkServices({ loaded, rig, place }: PackUse, diagnostics: Diagnostics): void {
  for (const { file } of loaded.packs) {
    if (rig === undefined || file.services.length === 0) continue
    diagnostics.error(place, `pack "${file.pack.name}" has services, which only the city may import`)
  }
}

/** An agent of the city with the bare name of one that it imports may be meant to replace it, which it does not. */
function warnOfShadows(own: CityDeclarations['agents'], uses: readonly PackUse[], diagnostics: Diagnostics): void {
  for (const { loaded, binding, isSilent } of uses) {
    if (isSilent || binding === undefined) continue
    const names = new Set(loaded.agents.map(({ values }) => values.name))
    for (const agent of own) {
      const { name, dir } = agent.values
      if (name === undefined || dir !== undefined || !names.has(name)) continue
      const message = `does not replace "${binding}.${name}" of the imported pack; shadow = "silent" says that both are meant`
      diagnostics.warning(locationOf(agent, 'name'), message)
    }
  }
}

type NamedDeclarations = Pick<CityDeclarations, 'agents' | 'namedSessions'>

/** The agents and named sessions of the city, those of the packs of the city first, those of the rigs' last. */
function composeNamed(
  lower: CityDeclarations,
  ofCity: readonly PackUse[],
  ofRigs: readonly PackUse[],
  { diagnostics }: LayerContext,
): NamedDeclarations {
  const packs = [...ofCity, ...ofRigs].flatMap(({ loaded }) => loaded.packs)
  const own = lower.agents.map((agent) => resolvePackPaths(agent, packs, diagnostics))
  const agents = composeKind('agent', own, ({ loaded }) => loaded.agents, stampAgent)
  const sessions = composeKind(
    'named session',
    lower.namedSessions,
    ({ loaded }) => loaded.namedSessions,
    stampNamedSession,
  )
  return { agents, namedSessions: sessions }

  function composeKind<Values extends { name: string; dir: string; scope: 'city' | 'rig' }>(
    kind: string,
    declared: readonly Declaration<Values>[],
    listOf: (use: PackUse) => readonly Declaration<Values>[],
    stamp: (declaration: Declaration<Values>, use: PackUse) => Declaration<Values>,
  ): readonly Declaration<Values>[] {
    const onCollision = diagnostics.error.bind(diagnostics)
    const [city, rigs] = [new Surface<Values>(kind, onCollision), new Surface<Values>(kind, onCollision)]
    for (const use of ofCity) {
      for (const each of listOf(use)) if (each.values.scope !== 'rig') city.add(stamp(each, use), use.place)
    }
    for (const use of ofCity) {
      for (const rig of rigsReached(lower, use)) {
        for (const each of listOf(use)) {
          if (each.values.scope !== 'city') city.add(stamp(each, { ...use, rig }), use.place)
        }
      }
    }
    const existing = new Set([...declared.map(nameOf), ...city.names])
    for (const use of ofRigs) {
      for (const each of listOf(use)) {
        if (each.values.scope !== 'city') rigs.add(stamp(each, use), use.place)
        else rigs.lift(stamp(each, { ...use, rig: undefined }), existing)
      }
    }
    return [...city.declarations, ...declared, ...rigs.declarations]
  }
}

/** The rigs that an import of the city reaches: those that import nothing by its name themselves. */
const rigsReached = ({ rigs }: CityDeclarations, { binding }: PackUse): string[] =>
  rigs.flatMap(({ values: { name, imports } }) =>
    name === undefined || (binding !== undefined && imports?.has(binding)) ? [] : [name],
  )

/** A pack that the city or a rig imports, and how it is known there. */
interface PackUse {
  readonly loaded: LoadedPack
  /** Absent when it is included without a name. */
  readonly binding: string | undefined
  /** Absent for the city. */
  readonly rig: string | undefined
  /** Block that contains the statement. */
  readonly block: DeclaredBlock
  readonly place: SourceLocation
  /** True if it says nothing when the city has an agent with the name of one of the pack's. */
  readonly isSilent: boolean
}

/** The packs that the city imports, in byte order of their names. */
function usesOfCity(
  { imports, pack, workspace }: CityDeclarations,
  loader: PackLoader,
  context: LoadContext,
): PackUse[] {
  const { path: folder } = context.files.city
  const place = { file: PACK_FILE, line: 1, key: '[pack] includes' }
  const block = { layer: context.layer, file: PACK_FILE, line: 1, section: '[pack]', offset: undefined }
  const included = [
    ...usesOfIncludes({ sources: pack?.includes, rig: undefined, block, place }, loader, context),
    ...(workspace ? usesOfIncludes(includesOf(workspace, undefined), loader, context) : []),
  ]
  return [...included, ...usesOf({ imports, rig: undefined, folder }, loader)]
}

/** The packs that a rig imports; one that imports none and is a pack itself brings its own agents. */
function usesOfRig(
  rig: Declaration<RigFields>,
  { rigBindings, pack }: CityDeclarations,
  loader: PackLoader,
  context: LoadContext,
): PackUse[] {
  const { path: city } = context.files.city
  const { imports = new Map(), includes = [], name } = rig.values
  if (name === undefined) return []
  if (imports.size + includes.length > 0) {
    const included = usesOfIncludes(includesOf(rig, name), loader, context)
    return [...included, ...usesOf({ imports, rig: name, folder: city }, loader)]
  }
  const { path } = bindRig(rig, rigBindings).values
  if (path === undefined || !pack || resolve(city, path) === city) return []
  return usesOfRigFolder(rig, name, resolve(city, path), context)
}

/** Packs that a section imports by their sources only. */
interface IncludingSection extends Pick<PackUse, 'rig' | 'block' | 'place'> {
  readonly sources: readonly string[] | undefined
}

const includesOf = (section: Declaration<{ includes: string[] }>, rig: string | undefined): IncludingSection => ({
  ...{ sources: section.values.includes, rig, block: section.block },
  place: locationOf(section, 'includes'),
})

function usesOfIncludes(
  { sources = [], rig, block, place }: IncludingSection,
  loader: PackLoader,
  context: LoadContext,
): PackUse[] {
  const { city } = context.files
  return sources.flatMap((source): PackUse[] => {
    const unread = whyUnread(source, city)
    if (unread !== undefined) {
      context.diagnostics.warning(place, `"${source}" ${unread}`)
      return []
    }
    const location = locatePack({ binding: source, source }, { folder: city.path }, context)
    if (location.kind === 'missing') context.diagnostics.error(place, location.reason)
    const loaded = location.kind === 'missing' ? undefined : loader.load(location, place, [city.path])
    return loaded ? [{ loaded, binding: undefined, rig, block, place, isSilent: false }] : []
  })
}

interface ImportingSection {
  readonly imports: CityDeclarations['imports']
  readonly rig: string | undefined
  readonly folder: string
}

function usesOf({ imports, rig, folder }: ImportingSection, loader: PackLoader): PackUse[] {
  return sortedImports(imports).flatMap((request) => {
    const { binding, declaration } = request
    const loaded = loader.import(request, { folder }, [folder])
    if (!loaded) return []
    return [
      {
        ...{ loaded: bindNested(loaded, request), binding, rig, block: declaration.block },
        ...{ place: locationOf(declaration, 'source'), isSilent: declaration.values.shadow === 'silent' },
      },
    ]
  })
}

/** A rig's folder is not the city's to keep in order: a pack in it that cannot be loaded is only warned of. */
function usesOfRigFolder(rig: Declaration<RigFields>, name: string, folder: string, context: LoadContext): PackUse[] {
  if (context.files.root(folder).text(PACK_FILE) === undefined) return []
  const diagnostics = new Diagnostics()
  const place = locationOf(rig, 'name')
  const loaded = new PackLoader({ ...context, diagnostics }).load({ folder }, place)
  const errors = diagnostics.list('error')
  for (const error of errors)
    context.diagnostics.warning(error, `${error.message}; rig "${name}" goes without its pack`)
  if (!loaded || errors.length > 0) return []
  return [{ loaded, binding: undefined, rig: name, block: rig.block, place, isSilent: true }]
}

interface Named {
  readonly name: string
  readonly dir: string
  readonly template?: string
}

/** The agents or the named sessions of a city, each under a name of its own. */
class Surface<Values extends Named> {
  readonly #declarations = new Map<string, Declaration<Values>>()

  constructor(
    private readonly kind: string,
    private readonly onCollision: (place: SourceLocation, message: string) => void,
  ) {}

  /** Adds what a pack brings. The same pack may bring it twice; another pack may not bring it under that name. */
  add(declaration: Declaration<Values>, place: SourceLocation): void {
    const name = nameOf(declaration)
    const earlier = this.#declarations.get(name)
    if (!earlier) this.#declarations.set(name, declaration)
    else if (earlier.block.pack?.folder !== declaration.block.pack?.folder) {
      const folders = [earlier, declaration].map(({ block }) => block.pack?.folder ?? block.file)
      this.onCollision(place, `both ${folders.join(' and ')} bring ${this.kind} "${name}"; import one by another name`)
    }
  }

  /** Adds what a rig brings to the city, unless the city has one of that name. */
  lift(declaration: Declaration<Values>, existing: ReadonlySet<string>): void {
    const name = nameOf(declaration)
    if (!existing.has(name) && !this.#declarations.has(name)) this.#declarations.set(name, declaration)
  }

  get names(): readonly string[] {
    return [...this.#declarations.keys()]
  }

  get declarations(): readonly Declaration<Values>[] {
    return [...this.#declarations.values()]
  }
}

/** The qualified name of an agent, or of a named session, which is called like its agent unless it says otherwise. */
const nameOf = ({ values }: Declaration<Named>): string => qualify(values.dir, values.name ?? values.template ?? '')

/** Use of something of a pack: the name of the pack and the rig. */
interface Stamp {
  readonly binding: string | undefined
  readonly rig: string | undefined
  /** The block with this statement. */
  readonly block: DeclaredBlock
}

/** An agent of a pack as the city or a rig knows it. */
function stampAgent(agent: Declaration<AgentFields>, stamp: Stamp): Declaration<AgentFields> {
  const { name = '', dependsOn, dir: declared } = agent.values
  const { binding, rig } = stamp
  const dir = declared ?? rig
  const stamped = stampName(agent, name, stamp)
  const values = {
    ...stamped.values,
    ...(dir !== undefined && { dir }),
    ...(dependsOn && { dependsOn: dependsOn.map((other) => completeName(other, binding, dir)) }),
  }
  const origins = dir === declared ? stamped.origins : { ...stamped.origins, dir: originIn(stamp.block) }
  return { ...stamped, values, origins }
}

/** A named session of a pack as the city or a rig knows it. */
function stampNamedSession(session: Declaration<NamedSessionFields>, stamp: Stamp): Declaration<NamedSessionFields> {
  const { name, template = '', dir: declared } = session.values
  const { binding, rig } = stamp
  const named = name === undefined ? session : stampName(session, name, stamp)
  const completed = template.includes('/') || template.includes('.') ? template : boundName(binding, template)
  const dir = declared ?? rig
  return {
    ...withValue(named, 'template', completed, named.origins.template),
    ...(binding !== undefined && { binding }),
    values: { ...named.values, template: completed, ...(dir !== undefined && { dir }) },
  }
}

function stampName<Values extends { name: string }>(
  declaration: Declaration<Values>,
  name: string,
  { binding }: Stamp,
): Declaration<Values> {
  if (binding === undefined) return declaration
  const values = { ...declaration.values, name: boundName(binding, localName(name, declaration.binding)) }
  return { ...declaration, values, binding }
}

const originIn = (block: DeclaredBlock) => ({ block, line: block.line, key: 'dir' })

const boundName = (binding: string | undefined, name: string): string =>
  binding === undefined ? name : `${binding}.${name}`

/** The agent that another depends on: a bare name is of its own pack and rig; one with "/" is complete. */
function completeName(name: string, binding: string | undefined, dir: string | undefined): string {
  if (name.includes('/')) return name
  if (!name.includes('.')) return qualify(dir, boundName(binding, name))
  return binding !== undefined && name.startsWith(`${binding}.`) ? qualify(dir, name) : name
}
