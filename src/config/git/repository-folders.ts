import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** How many repositories deep objects are borrowed; git itself stops at five. */
const MAX_LENDERS = 5

/** The folders in which a repository keeps what git knows of a working folder, other repositories' objects among them. */
export function repositoryFolders(folder: string): string[] {
  const own = findRepository(folder)
  if (own === undefined) return []
  const shared = sharedFolder(own)
  return [...new Set([own, shared, ...lendersOf(join(shared, 'objects'))])]
}

/** The folders that git reads to tell the state of a working folder, its files among them. */
export function workingFolders(folder: string): string[] {
  const own = findRepository(folder)
  return own === undefined ? [folder] : [...new Set([dirname(findDotGit(folder) ?? folder), own, sharedFolder(own)])]
}

/**
 * The folder in which git keeps what it knows of a working folder. Agents may have written what points to it: one elsewhere
 * is that of the working folder only when it says so itself.
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

/** Whether a repository names the working folder, as git has those of worktrees and submodules do. */
function pointsBack(repository: string, dotGit: string): boolean {
  const worktree = readText(join(repository, 'gitdir'))
  const named = /^\s*worktree = (.+)$/m.exec(readText(join(repository, 'config')) ?? '')?.[1]
  return [worktree, named && join(named, '.git')].some((path) => path && resolve(repository, path) === dotGit)
}

/** Whether a path is in a folder, links followed. */
const contains = (folder: string, path: string): boolean => path.startsWith(`${realPath(folder)}${sep}`)

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** What is in a small file of a repository, without the space around it. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function findDotGit(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.git')
    if (lstatSync(path, { throwIfNoEntry: false })) return path
    if (at === dirname(at)) return undefined
  }
}

/** The folders from which a folder of objects borrows, and those from which they borrow: objects of repositories only. */
function lendersOf(objects: string, depth = 0): string[] {
  if (depth === MAX_LENDERS) return []
  const lines = readText(join(objects, 'info', 'alternates'))?.split('\n') ?? []
  const lenders = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => resolve(objects, line))
  return lenders.filter(isOfRepository).flatMap((lender) => [lender, ...lendersOf(lender, depth + 1)])
}

const isOfRepository = (objects: string): boolean =>
  basename(realPath(objects) ?? '') === 'objects' && existsSync(join(objects, '..', 'HEAD'))
