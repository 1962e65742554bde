import { closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { findRepository, sharedFolder } from '../../config/git/repository-folders.ts'
import { realPath } from '../../core/folders.ts'

/** What git writes of a repository for a new worktree and its branch; its settings and its hooks are not among it. */
const WORKTREE_PARTS = ['objects', 'refs', 'logs', 'reftable', 'worktrees', 'lfs']
/** Those of them that a repository without worktrees may lack, and what is in `EXCLUDE`. */
const MADE = ['logs', 'worktrees', 'info']
const EXCLUDE = 'info/exclude'

/** The rig's repository, where the folder is a linked worktree of it: nothing can be committed there without changing it. */
export function linkedRepository(workDir: string, rig: string): string[] {
  if (lstatSync(join(workDir, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return []
  const own = ownRepository(rig)
  const found = findRepository(realPath(workDir))
  return own !== undefined && found !== undefined && sharedFolder(found) === own ? [own] : []
}

/** What has to be changed of a rig's repository for a folder to become a linked worktree of it. */
export function worktreeParts(rig: string): string[] {
  const own = ownRepository(rig)
  if (own === undefined) return []
  for (const name of MADE) mkdirSync(join(own, name), { recursive: true })
  const folders = WORKTREE_PARTS.map((name) => join(own, name)).filter(isFolder)
  return isFolder(join(own, 'info')) && isMade(join(own, EXCLUDE)) ? [...folders, join(own, EXCLUDE)] : folders
}

/** The repository that lies in a rig; none where the rig is itself linked to one elsewhere. */
function ownRepository(rig: string): string | undefined {
  const folder = join(realPath(rig), '.git')
  return isFolder(folder) ? folder : undefined
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Makes a file where there is nothing; false where something else is. */
function isMade(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) return true
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644))
    return true
  } catch {
    return false
  }
}
