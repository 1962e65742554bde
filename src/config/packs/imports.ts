import { parseToml, type TomlNode, TomlSyntaxError } from '../../core/toml/index.ts'
import { CITY_FILE, type RootSnapshot } from '../files/index.ts'
import { whyUnread } from './includes.ts'
import { PACK_FILE, type PackImport } from './locate.ts'

/** Owner of an import: a file of the city, the defaults of new rigs, a rig, or a pack. */
export type ImportOwner =
  | { readonly kind: 'pack' | 'city' | 'default-rig' }
  | { readonly kind: 'rig'; readonly rig: string }

/** An import and where it is written. */
export interface DeclaredImport extends PackImport {
  readonly owner: ImportOwner
  readonly file: string
  readonly line: number
  /** Offset of its table; absent if it has none of its own. */
  readonly offset?: number
  /** Offset of the table of imports around it. */
  readonly parent?: number
}

type Table = Extract<TomlNode, { kind: 'table' }>

/** The name of an import among all of a city's: `pack:base`, `city:base`, `default-rig:base`, `rig:app:base`. */
export const importKey = ({ owner, binding }: Pick<DeclaredImport, 'owner' | 'binding'>): string =>
  owner.kind === 'rig' ? `rig:${owner.rig}:${binding}` : `${owner.kind}:${binding}`

/** Every import that the files of a city declare. A file that is not TOML declares none. */
export function readCityImports(city: RootSnapshot): DeclaredImport[] {
  const main = parseFile(city, CITY_FILE)
  const fragments = stringsOf(main?.entries.get('include')).map((file) => [file, parseFile(city, file)] as const)
  return [
    ...readPackImports(city),
    ...[[CITY_FILE, main] as const, ...fragments].flatMap(([file, root]) =>
      root ? cityFileImports(file, root, city) : [],
    ),
  ]
}

/** The imports of a pack, those that it includes in the older way as well. */
export function readPackImports(pack: RootSnapshot): DeclaredImport[] {
  const root = parseFile(pack, PACK_FILE)
  if (!root) return []
  const owner = { kind: 'pack' } as const
  return [...includesOf(tableOf(root, 'pack'), PACK_FILE, owner, pack), ...importsOf(root, PACK_FILE, owner)]
}

/** Offset of a rig's block in city.toml. */
export function findRigOffset(city: RootSnapshot, name: string): number | undefined {
  const rigs = parseFile(city, CITY_FILE)?.entries.get('rigs')
  const items = rigs?.kind === 'array' ? rigs.items : []
  return items.find((rig) => rig.kind === 'table' && stringOf(rig, 'name') === name)?.offset
}

function cityFileImports(file: string, root: Table, city: RootSnapshot): DeclaredImport[] {
  const workspace = tableOf(root, 'workspace')
  const defaults = tableOf(tableOf(root, 'defaults'), 'rig')
  const rigs = root.entries.get('rigs')
  return [
    ...includesOf(workspace, file, { kind: 'city' }, city),
    ...includesOf(workspace, file, { kind: 'default-rig' }, city, 'default_rig_includes'),
    ...importsOf(root, file, { kind: 'city' }),
    ...(defaults ? importsOf(defaults, file, { kind: 'default-rig' }) : []),
    ...(rigs?.kind === 'array' ? rigs.items : []).flatMap((rig) => {
      if (rig.kind !== 'table') return []
      const owner = { kind: 'rig', rig: stringOf(rig, 'name') ?? '' } as const
      return [...includesOf(rig, file, owner, city), ...importsOf(rig, file, owner)]
    }),
  ]
}

/** Imports of a section in the older style, by source alone. */
function includesOf(
  section: Table | undefined,
  file: string,
  owner: ImportOwner,
  root: RootSnapshot,
  key = 'includes',
): DeclaredImport[] {
  const node = section?.entries.get(key)
  const sources = stringsOf(node).filter((source) => whyUnread(source, root) === undefined)
  return sources.map((source) => ({ binding: source, source, owner, file, line: node?.line ?? 1 }))
}

function importsOf(parent: Table, file: string, owner: ImportOwner): DeclaredImport[] {
  const imports = tableOf(parent, 'imports')
  return [...(imports?.entries ?? [])].flatMap(([binding, node]) => {
    if (node.kind !== 'table') return []
    const version = stringOf(node, 'version')
    return {
      ...{ binding, source: stringOf(node, 'source') ?? '', owner, file, line: node.line },
      ...{ offset: node.offset, ...(imports && { parent: imports.offset }) },
      ...(version && { version }),
    }
  })
}

function parseFile(root: RootSnapshot, file: string): Table | undefined {
  const text = root.text(file)
  if (text === undefined) return undefined
  try {
    return parseToml(text)
  } catch (error) {
    if (error instanceof TomlSyntaxError) return undefined
    throw error
  }
}

function tableOf(parent: Table | undefined, key: string): Table | undefined {
  const node = parent?.entries.get(key)
  return node?.kind === 'table' ? node : undefined
}

function stringOf(table: Table, key: string): string | undefined {
  const node = table.entries.get(key)
  return node?.kind === 'string' ? node.value : undefined
}

const stringsOf = (node: TomlNode | undefined): string[] =>
  node?.kind === 'array' ? node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) : []
