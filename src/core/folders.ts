import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { AppError } from './errors.ts'

/** The bit of folders in which everyone may create files, and remove only their own. */
const STICKY = 0o1000

/** Makes a folder only its owner can read, with its parents, and sees to it that they are on disk. */
export function createFolder(path: string): void {
  const whole = resolve(path)
  const first = mkdirSync(whole, { recursive: true, mode: 0o700 })
  if (!first) return
  for (let at = whole; ; at = dirname(at)) {
    syncFolder(at)
    if (at === dirname(first) || at === dirname(at)) return
  }
}

/**
 * Throws when a path below a folder, or a folder on the way to it, is a link: what is written there would land elsewhere.
 * A path that does not exist yet is not a link.
 */
export function requireNoLinks(folder: string, path: string): void {
  let at = resolve(folder)
  for (const part of relative(at, resolve(at, path)).split(sep)) {
    at = join(at, part)
    if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) continue
    throw new AppError(
      'conflict-wrong-state',
      `${at} is a link, and gc writes nothing through links; put what it leads to there`,
    )
  }
}

/** Makes a folder that this user alone may enter; throws when it is somebody else's. */
export function claimFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new AppError('forbidden', `${path} belongs to another user; remove it or choose another GC_HOME`)
  }
  makePrivate(path)
}

/** Lets only its owner enter a folder; throws, and changes nothing, where that would lock others out. */
export function makePrivate(path: string): void {
  if (isShared(path)) {
    throw new AppError(
      'forbidden',
      `${path} is a folder that others use, and only its owner may enter gc's own; set GC_HOME to another, such as ~/.gc`,
    )
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
}

/** True for the root, a folder around this user's home folder, and one of everyone's files, such as /tmp. */
export function isShared(path: string): boolean {
  const way = relative(path, homedir())
  const isAround = way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
  return path === dirname(path) || isAround || (statSync(path).mode & STICKY) !== 0
}

/** Puts the names in a folder on disk. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Target of a path, as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** True if nothing is in a folder; one that is not there has nothing. */
export function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return true
  }
}

/** True if one of two paths is the other, or is in it. */
export const touch = (a: string, b: string): boolean => contains(a, b) || contains(b, a)

/** True if a path is a folder or is in it. */
export const contains = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
