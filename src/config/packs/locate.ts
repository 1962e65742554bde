import { isAbsolute, join, relative, resolve } from 'node:path'
import { sha256 } from '../../core/digest.ts'
import { blankSentence } from '../../core/text/index.ts'
import type { FileSnapshot } from '../files/index.ts'
import { type BuiltinPack, builtinPackOf } from './builtin-packs.ts'
import { isInside } from './links.ts'
import { lockedPack, type PackLock } from './lock.ts'
import { type GitPackSource, parsePackSource } from './source.ts'
import { parseConstraint, satisfies } from './version.ts'

export const PACK_FILE = 'pack.toml'

/** Locations of packs on this machine. */
export interface PackFolders {
  /** The checkouts of locked commits. */
  readonly checkouts: string
  /** The packs that are part of gc, a folder each. */
  readonly builtins: string
}

/** The folder of all checkouts below a `GC_HOME`. */
export const checkoutsFolder = (home: string): string => join(home, 'cache/repos')

/** The folders of packs below a `GC_HOME`. `build` separates the packs of one gc from those of another. */
export const packFolders = (home: string, build: string): PackFolders => ({
  checkouts: checkoutsFolder(home),
  builtins: join(home, 'cache/builtin', build),
})

/** An import as a file declares it. */
export interface PackImport {
  readonly binding: string
  /** As written: it is the key of the lock. */
  readonly source: string
  readonly version?: string
}

/** Declarer of an import: the city, or a pack located before. */
export interface ImportingFolder {
  /** Base of relative sources. */
  readonly folder: string
  /** The checkout, or the packs of gc, that local sources must stay in; absent for folders of the machine. */
  readonly boundary?: string
}

/** Location of a pack. It is what imports in its own pack.toml are located from. */
export interface PackLocation extends ImportingFolder {
  readonly kind: 'local' | 'git' | 'builtin'
  readonly builtin?: BuiltinPack
  /** The version and commit that the lock chose for it. */
  readonly version?: string
  readonly commit?: string
}

/** Reason a pack is not there, as a sentence that says what to do. */
export interface MissingPack {
  readonly kind: 'missing'
  readonly reason: string
}

export interface LocateContext {
  readonly files: FileSnapshot
  readonly lock: PackLock
  readonly folders: PackFolders
}

/** The folder of the checkout of a commit, below that of all checkouts. */
export const checkoutName = (url: string, commit: string): string => sha256(`${url}${commit}`)

/** The file beside a checkout that is written when it is complete. */
export const checkoutRecord = (url: string, commit: string): string => `${checkoutName(url, commit)}.json`

/** Finds the folder of an imported pack, or says why it is not there. Runs nothing and asks no one. */
export function locatePack(
  { binding, source, version }: PackImport,
  from: ImportingFolder,
  context: LocateContext,
): PackLocation | MissingPack {
  const parsed = parsePackSource(source)
  if (parsed.kind === 'invalid') return missing(`the source of import "${binding}" ${parsed.reason}`)
  if (version && !parseConstraint(version)) {
    return missing(`the version "${version}" of import "${binding}" is neither sha:<commit> nor a range such as ^1.2`)
  }
  const builtin = builtinPackOf(parsed)
  if (builtin) return locateBuiltin(builtin, context)
  return parsed.kind === 'local'
    ? locateFolder(binding, parsed.path, from, context)
    : locateCheckout({ binding, source, version }, parsed, context)
}

function locateBuiltin(builtin: BuiltinPack, { files, folders }: LocateContext): PackLocation | MissingPack {
  const folder = join(folders.builtins, builtin)
  if (!hasPack(files, folder))
    return missing(`the pack ${builtin} of gc is not in ${folder}; run \`gc import install\``)
  return { kind: 'builtin', builtin, folder, boundary: folders.builtins }
}

function locateFolder(
  binding: string,
  path: string,
  { folder: from, boundary }: ImportingFolder,
  { files }: LocateContext,
): PackLocation | MissingPack {
  const folder = resolve(from, path)
  if (boundary !== undefined && !isInside(boundary, folder)) {
    return missing(`import "${binding}" of a fetched pack names ${path}, which is outside its repository`)
  }
  if (!hasPack(files, folder)) return missing(`there is no ${PACK_FILE} for import "${binding}" in ${folder}`)
  return { kind: 'local', folder, ...(boundary !== undefined && { boundary }) }
}

function locateCheckout(
  { binding, source, version }: PackImport,
  { url, subpath }: GitPackSource,
  { files, lock, folders }: LocateContext,
): PackLocation | MissingPack {
  const locked = lockedPack(lock, source, url)
  if (!locked) return missing(`import "${binding}" (${source}) is not locked; run \`gc import install\``)
  if (!satisfies(version, locked)) {
    return missing(
      `import "${binding}" asks for ${version}, and packs.lock has ${locked.version}; run \`gc import upgrade ${binding}\``,
    )
  }
  const checkout = join(folders.checkouts, checkoutName(url, locked.commit))
  if (files.root(folders.checkouts).text(checkoutRecord(url, locked.commit)) === undefined) {
    return missing(`import "${binding}" (${source}) is not fetched yet; run \`gc import install\``)
  }
  const folder = join(checkout, subpath)
  if (!hasPack(files, folder)) {
    return missing(
      `${url} has no ${PACK_FILE} in ${subpath || 'its root'} at ${locked.version}; check the source of import "${binding}"`,
    )
  }
  return { kind: 'git', folder, boundary: checkout, version: locked.version, commit: locked.commit }
}

/** The reason is listed, logged and recorded: it quotes a source without its secrets. */
const missing = (reason: string): MissingPack => ({ kind: 'missing', reason: blankSentence(reason) })

const hasPack = (files: FileSnapshot, folder: string): boolean => files.root(folder).text(PACK_FILE) !== undefined

/** A folder as messages name it: from the city, if it lies in it. */
export function displayPath(city: string, folder: string): string {
  const path = relative(city, folder)
  return path.startsWith('..') || isAbsolute(path) ? folder : path
}
