import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { readPlainFile } from '../../core/plain-file.ts'

/** Number of repositories deep objects that are borrowed; git itself stops at five. */
const MAX_LENDERS = 5
/** Agents may have written these files: what is longer is not read. */
const MAX_BYTES = 1024 * 1024

/** Says whether a repository may borrow from a folder of objects that it names. */
type Lends = (objects: string) => boolean

/**
 * The folders, without links on the way to them, in which a repository keeps what git knows of a working folder, other
 * repositories' objects among them as far as they are lent.
 */
export function repositoryFolders(folder: string, lends: Lends): string[] {
  const own = findRepository(folder)
  return own === undefined ? [] : [...new Set([own, sharedFolder(own), ...lendersOf(own).filter(lends)])]
}

/** The folders of objects that a repository names to borrow from, and those from which these borrow. */
export const lendersOf = (repository: string): string[] => borrowedBy(join(sharedFolder(repository), 'objects'))

/** The folders that git reads to tell the state of a working folder, its files among them. */
export function workingFolders(folder: string): string[] {
  const own = findRepository(folder)
  return own === undefined ? [folder] : [...new Set([dirname(findDotGit(folder) ?? folder), own, sharedFolder(own)])]
}

/**
 * The folder in which git keeps what it knows of a working folder. Agents may have written what points to it: one
 * elsewhere is that of the working folder only if it names it itself.
 */
export function findRepository(folder: string): string | undefined {
  const path = findDotGit(folder)
  if (path === undefined || lstatSync(path).isDirectory()) return path
  const link = lstatSync(path).isFile() ? /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1] : '.git'
  const target = link === undefined ? undefined : realPath(resolve(dirname(path), link))
  return target !== undefined && (contains(dirname(path), target) || pointsBack(target, path)) ? target : undefined
}

/** The folder that the worktrees of a repository share; the folder itself where there are none. */
export function sharedFolder(repository: string): string {
  const common = readText(join(repository, 'commondir'))
  if (common === undefined) return repository
  const worktrees = dirname(realPath(repository) ?? repository)
  const isOwn = basename(worktrees) === 'worktrees' && realPath(resolve(repository, common)) === dirname(worktrees)
  return isOwn ? dirname(worktrees) : repository
}

/** True if a repository names the working folder, as git has those of worktrees and submodules do. */
function pointsBack(repository: string, dotGit: string): boolean {
  const worktree = readText(join(repository, 'gitdir'))
  const named = /^\s*worktree = (.+)$/m.exec(readText(join(repository, 'config')) ?? '')?.[1]
  return [worktree, named && join(named, '.git')].some((path) => path && resolve(repository, path) === dotGit)
}

/** True if a path is in a folder, links followed. */
const contains = (folder: string, path: string): boolean => path.startsWith(`${realPath(folder)}${sep}`)

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Content of a small file of a repository, trimmed. */
export const readText = (file: string): string | undefined => readPlainFile(file, MAX_BYTES)?.toString().trim()

function findDotGit(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.git')
    if (lstatSync(path, { throwIfNoEntry: false })) return path
    if (at === dirname(at)) return undefined
  }
}

/** The folders from which a folder of objects borrows, and those from which they borrow: objects of repositories only. */
function borrowedBy(objects: string, depth = 0): string[] {
  if (depth === MAX_LENDERS) return []
  const lines = readText(join(objects, 'info', 'alternates'))?.split('\n') ?? []
  const named = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => resolve(objects, line))
  const lenders = named.flatMap((path) => realPath(path) ?? []).filter(isOfRepository)
  return lenders.flatMap((lender) => [lender, ...borrowedBy(lender, depth + 1)])
}

const isOfRepository = (objects: string): boolean =>
  basename(objects) === 'objects' && existsSync(join(objects, '..', 'HEAD'))
