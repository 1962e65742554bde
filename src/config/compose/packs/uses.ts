import { resolve } from 'node:path'
import type { CityDeclarations } from '../../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../../declare/declaration.ts'
import type { DeclaredBlock } from '../../declare/origin.ts'
import type { RigFields } from '../../declare/rig.ts'
import { bindRig } from '../../declare/rig-binding.ts'
import { Diagnostics, type SourceLocation } from '../../files/diagnostics.ts'
import { whyUnread } from './includes.ts'
import { bindNested, type LoadContext, type LoadedPack, PackLoader, sortedImports } from './load-packs.ts'
import { locatePack, PACK_FILE } from './locate.ts'

/** A pack that the city or a rig imports, and how it is known there. */
export interface PackUse {
  readonly loaded: LoadedPack
  /** Absent when it is included without a name. */
  readonly binding: string | undefined
  /** Absent for the city. */
  readonly rig: string | undefined
  /** What says so. */
  readonly block: DeclaredBlock
  readonly place: SourceLocation
  /** Whether it says nothing when the city has an agent with the name of one of the pack's. */
  readonly isSilent: boolean
}

/** The packs that the city imports, in byte order of their names. */
export function usesOfCity(
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
export function usesOfRig(
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
