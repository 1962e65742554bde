import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { findRepository, sharedFolder } from '../../config/git/index.ts'
import { HeldFolder } from '../../core/store/index.ts'

/** Parts of a repository that git writes for a new worktree and its branch, without settings and hooks. */
const WORKTREE_PARTS = ['objects', 'refs', 'logs', 'reftable', 'worktrees', 'lfs']
/** Those of them that a repository without worktrees may lack, and what has its `exclude`. */
const MADE = ['logs', 'worktrees', 'info']

/**
 * The rig's repository, where the folder is a linked worktree of it: nothing can be committed there without changing it. Both
 * are places without links.
 */
export function linkedRepository(workDir: string, rig: string): string[] {
  if (lstatSync(join(workDir, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return []
  const own = ownRepository(rig)
  const found = findRepository(workDir)
  return own !== undefined && found !== undefined && sharedFolder(found) === own ? [own] : []
}

/** Parts of a rig's repository that must be writable to link a worktree. */
export function worktreeParts(rig: string): string[] {
  const own = ownRepository(rig)
  if (own === undefined) return []
  using held = HeldFolder.find(own)
  for (const name of MADE) held?.below(name, { make: true })?.[Symbol.dispose]()
  const folders = WORKTREE_PARTS.map((name) => join(own, name)).filter(isFolder)
  using info = held?.below('info')
  return info && isMade(info.at('exclude')) ? [...folders, join(own, 'info', 'exclude')] : folders
}

/** The repository that lies in a rig; none where the rig is itself linked to one elsewhere. */
function ownRepository(rig: string): string | undefined {
  const folder = join(rig, '.git')
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
