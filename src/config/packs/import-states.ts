import { resolve } from 'node:path'
import { IMPORT_PROBLEMS, type ImportProblemCode } from '../../core/error-catalogue.ts'
import { builtinPackOf } from './builtin-packs.ts'
import { type DeclaredImport, importKey, readCityImports, readPackImports } from './imports.ts'
import { type ImportingFolder, type LocateContext, locatePack, type MissingPack, type PackLocation } from './locate.ts'
import { type LockedPack, lockedPack } from './lock.ts'
import { type PackSource, parsePackSource } from './source.ts'
import { satisfies } from './version.ts'

/** An import, what it is locked to, and where its pack lies. */
export interface ImportState {
  readonly declared: DeclaredImport
  readonly parsed: PackSource
  readonly locked: LockedPack | undefined
  readonly location: PackLocation | MissingPack
}

/** Result of an import, with the imports of its pack. */
export interface ImportTree extends ImportState {
  readonly imports: readonly ImportTree[]
  /** True if what the pack imports is shown where the pack comes up first. */
  readonly isRepeated: boolean
}

/** A problem with the imports of a city, and its fix. */
export interface ImportIssue {
  readonly severity: 'error' | 'warning'
  readonly code: ImportProblemCode
  readonly message: string
  readonly path: string
  readonly repair: string
}

/** Every import of the city's own files. */
export const readImportStates = (context: LocateContext): ImportState[] =>
  readCityImports(context.files.city).map((declared) => stateOf(declared, cityFolder(context), context))

const cityFolder = ({ files }: LocateContext): ImportingFolder => ({ folder: files.city.path })

function stateOf(declared: DeclaredImport, from: ImportingFolder, context: LocateContext): ImportState {
  const parsed = parsePackSource(declared.source)
  const locked = parsed.kind === 'git' ? lockedPack(context.lock, declared.source, parsed.url) : undefined
  return { declared, parsed, locked, location: locatePack(declared, from, context) }
}

/** The imports of the city with all that they lead to. A pack that is imported twice is followed once. */
export function readImportTree(context: LocateContext): ImportTree[] {
  const followed = new Set<string>()
  const treeOf = (declared: DeclaredImport, from: ImportingFolder): ImportTree => {
    const state = stateOf(declared, from, context)
    const { location } = state
    if (location.kind === 'missing') return { ...state, imports: [], isRepeated: false }
    const { folder } = location
    if (followed.has(folder)) return { ...state, imports: [], isRepeated: true }
    followed.add(folder)
    const imports = readPackImports(context.files.root(folder)).map((each) => treeOf(each, location))
    return { ...state, imports, isRepeated: false }
  }
  return readCityImports(context.files.city).map((declared) => treeOf(declared, cityFolder(context)))
}

/** Reasons the packs of a city differ from what its files request. */
export function findImportIssues(context: LocateContext, lockPath: string, hasLock: boolean): ImportIssue[] {
  const all = flatten(readImportTree(context))
  const remote = all.filter(({ parsed }) => parsed.kind === 'git' && !builtinPackOf(parsed))
  if (remote.length > 0 && !hasLock) {
    const message = 'packs.lock is missing for declared remote imports'
    return [issueOf('missing-lockfile', message, lockPath)]
  }
  const issues = all.flatMap(({ declared, parsed, locked, location }): ImportIssue[] => {
    if (location.kind !== 'missing') return []
    const path = parsed.kind === 'git' ? lockPath : resolve(context.files.city.path, declared.file)
    return [issueOf(classify(declared, parsed, locked), location.reason, path, declared.binding)]
  })
  return [...new Map(issues.map((issue) => [issue.message, issue])).values()]
}

/** A problem with the fix of the catalogue, as `gc import check` prints it: `run "gc import install"`. */
function issueOf(code: ImportProblemCode, message: string, path: string, binding = ''): ImportIssue {
  const { fix } = IMPORT_PROBLEMS[code]
  const [, command] = /^`(.+)`$/.exec(fix.replace('<import>', binding)) ?? []
  const repair = command === undefined ? `fix the source of import "${binding}"` : `run "${command}"`
  return { severity: 'error', code, message, path, repair }
}

function classify({ version }: DeclaredImport, parsed: PackSource, locked: LockedPack | undefined): ImportProblemCode {
  if (parsed.kind !== 'git') return 'missing-pack'
  if (!locked) return 'missing-lock-entry'
  return satisfies(version, locked) ? 'missing-cache' : 'stale-lock-entry'
}

/** A tree as a list, each import before those that it leads to. */
export const flatten = (trees: readonly ImportTree[]): ImportTree[] =>
  trees.flatMap((tree) => [tree, ...flatten(tree.imports)])

/** The ways on which an import of this name, or of this source, is reached from the city. */
export function findWays(
  trees: readonly ImportTree[],
  name: string,
  above: readonly ImportTree[] = [],
): ImportTree[][] {
  return trees.flatMap((tree) => {
    const way = [...above, tree]
    const { binding, source } = tree.declared
    const matches = [binding, source, importKey(tree.declared)].includes(name)
    return [...(matches ? [way] : []), ...findWays(tree.imports, name, way)]
  })
}
