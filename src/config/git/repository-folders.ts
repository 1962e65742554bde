import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

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

/** The folder in which git keeps what it knows of a working folder. */
export function findRepository(folder: string): string | undefined {
  const path = findDotGit(folder)
  if (path === undefined) return undefined
  if (statSync(path).isDirectory()) return path
  const link = /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1]
  return link === undefined ? undefined : resolve(dirname(path), link)
}

/** The folder that the worktrees of a repository share; the folder itself where there are none. */
export function sharedFolder(repository: string): string {
  const common = readText(join(repository, 'commondir'))
  return common === undefined ? repository : resolve(repository, common)
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
    if (statSync(path, { throwIfNoEntry: false })) return path
    if (at === dirname(at)) return undefined
  }
}

/** The folders from which a folder of objects borrows, and those from which they borrow. */
function lendersOf(objects: string, depth = 0): string[] {
  if (depth === MAX_LENDERS) return []
  const lines = readText(join(objects, 'info', 'alternates'))?.split('\n') ?? []
  const lenders = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => resolve(objects, line))
  return lenders.flatMap((lender) => [lender, ...lendersOf(lender, depth + 1)])
}
