import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import { type EcmaScriptModule, type Node, parseSync, Visitor } from 'oxc-parser'
import { sources } from '../../scripts/compile.ts'

/** An import or re-export of one file by another. Paths are relative to the project; names are those of the file imported. */
export interface Import {
  readonly from: string
  /** A path of ours, else the name of a package. */
  readonly to: string
  readonly names: readonly ImportedName[]
  readonly typeOnly: boolean
  readonly lazy: boolean
}

interface ImportedName {
  readonly name: string
  readonly isType: boolean
}

export interface House {
  readonly files: readonly string[]
  readonly imports: readonly Import[]
  /** Functions of more than `MAX_FUNCTION_LINES`, as `file:line has n lines`. */
  readonly longFunctions: readonly string[]
  /** Files that have a default export. */
  readonly defaultExports: readonly string[]
  /** Faces that do more than re-export. */
  readonly busyFaces: readonly string[]
  /** Names that each face exports. */
  readonly offers: ReadonlyMap<string, readonly string[]>
}

export const MAX_FUNCTION_LINES = 60

/** Reads the sources of the program: `src`, `client`, `cli` and `tui`. */
export async function readHouse(): Promise<House> {
  const files = [...new Glob('{src,client,cli,tui}/**/*.{ts,tsx}').scanSync('.')].sort()
  const imports: Import[] = []
  const longFunctions: string[] = []
  const defaultExports: string[] = []
  const busyFaces: string[] = []
  const offers = new Map<string, readonly string[]>()
  for (const file of files) {
    const text = await Bun.file(file).text()
    const { module, program } = parseSync(file, text)
    imports.push(...importsOf(file, text, module))
    if (module.staticExports.some(({ entries }) => entries.some(({ exportName }) => exportName.kind === 'Default')))
      defaultExports.push(file)
    const isFace = roomOf(file) !== undefined && file === `${roomOf(file)}/index.ts`
    if (isFace && !program.body.every(isReexport)) busyFaces.push(file)
    if (isFace) offers.set(file, offersOf(module))
    longFunctions.push(...longFunctionsOf(file, text, program))
  }
  return { files, imports, longFunctions, defaultExports, busyFaces, offers }
}

/** The imports and re-exports of a file. */
export function importsOf(file: string, text: string, module = parseSync(file, text).module): Import[] {
  const imports: Import[] = []
  const resolved = (target: string) => (target.startsWith('.') ? normalize(join(dirname(file), target)) : target)
  const add = (target: string, entries: readonly Entry[], lazy = false) => {
    const names = entries.flatMap(({ importName: { name }, isType }) => (name === null ? [] : [{ name, isType }]))
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    imports.push({ from: file, to: resolved(target), names, typeOnly, lazy })
  }
  for (const { moduleRequest, entries } of module.staticImports) add(moduleRequest.value, entries)
  for (const { entries } of module.staticExports) {
    const source = entries[0]?.moduleRequest?.value
    if (source !== undefined) add(source, entries)
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const target = /^'(.+)'$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1]
    if (target !== undefined) add(target, [], true)
  }
  return imports
}

interface Entry {
  readonly importName: { readonly name: string | null }
  readonly isType: boolean
}

/** The room that a file belongs to, such as `src/work/beads` or `client/views`; undefined for loose files, commands and the dashboard. */
export function roomOf(file: string): string | undefined {
  const parts = file.split('/')
  const depth = parts[0] === 'src' ? 3 : parts[0] === 'client' ? 2 : Number.POSITIVE_INFINITY
  return parts.length > depth ? parts.slice(0, depth).join('/') : undefined
}

/** Traces names of faces: imports of faces are replaced by imports of the files behind them. */
export function behindFaces(imports: readonly Import[]): Import[] {
  const sources = new Map<string, string>()
  for (const { from, to, names } of imports) {
    if (from.endsWith('/index.ts')) for (const { name } of names) sources.set(`${from} ${name}`, to)
  }
  return imports.flatMap((each) => {
    if (!each.to.endsWith('/index.ts') || each.from.endsWith('/index.ts')) return [each]
    const targets = Map.groupBy(each.names, ({ name }) => sources.get(`${each.to} ${name}`) ?? each.to)
    return [...targets].map(([to, names]) => ({ ...each, to, names, typeOnly: names.every(({ isType }) => isType) }))
  })
}

const offersOf = ({ staticExports }: EcmaScriptModule): string[] =>
  staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName: { name } }) => name ?? []))

/** Names that a face takes from a file, all of them only under a name of their own. */
const isReexport = (node: Node): boolean =>
  node.type === 'ExportNamedDeclaration'
    ? node.source !== null
    : node.type === 'ExportAllDeclaration' && !!node.exported

function longFunctionsOf(file: string, text: string, program: Parameters<Visitor['visit']>[0]): string[] {
  const long: string[] = []
  const measure = (node: LikeFunction) => {
    const lines = text.slice(node.start, node.end).split('\n').length
    if (lines <= MAX_FUNCTION_LINES || isList(node)) return
    long.push(`${file}:${text.slice(0, node.start).split('\n').length} has ${lines} lines`)
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program)
  return long
}

interface LikeFunction {
  readonly start: number
  readonly end: number
  readonly body: Node | null
}

/** True if all that a function does is to return a list, as those of routes do: a declaration, and no steps. */
function isList({ body }: LikeFunction): boolean {
  if (body?.type === 'ArrayExpression') return true
  const [only, ...others] = body?.type === 'BlockStatement' ? body.body : []
  return others.length === 0 && only?.type === 'ReturnStatement' && only.argument?.type === 'ArrayExpression'
}

/** The files of ours that the build loads for entries, each a file that is imported lazily or a worker. */
export async function readBuild(): Promise<(entries: readonly string[]) => Set<string>> {
  const { metafile } = await Bun.build({ ...sources(), target: 'bun', format: 'esm', splitting: true, metafile: true })
  const outputs = metafile?.outputs ?? {}
  const places = new Map(Object.entries(outputs).map(([path, { entryPoint = '' }]) => [entryPoint, path]))
  return (entries) => {
    const loaded = new Set<string>()
    const load = (path: string) => {
      const output = outputs[path]
      if (!output || loaded.has(path)) return
      loaded.add(path)
      for (const each of output.imports) if (each.kind !== 'dynamic-import') load(each.path)
    }
    for (const entry of entries) load(places.get(entry) ?? missing(entry))
    const inputs = [...loaded].flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    return new Set(inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 && isSource(file) ? [file] : [])))
  }
}

const isSource = (file: string): boolean => /^(src|client|cli|tui)\/.*\.tsx?$/.test(file)

function missing(entry: string): never {
  throw new Error(`nothing imports ${entry} lazily, and it is not a worker`)
}
