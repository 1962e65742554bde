import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolder, syncFolder } from '../../core/folders.ts'
import { BUILTIN_BUILD, BUILTIN_FILES } from './builtin/files.ts'
import { adoptCheckouts } from './checkouts.ts'
import { type PackFolders, packFolders } from './locate.ts'

/** Opens the folders of packs on this machine: unpacks gc's own packs and adopts checkouts of other programs. */
export function openPackFolders(home: string): PackFolders {
  const folders = packFolders(home, BUILTIN_BUILD)
  if (!existsSync(folders.builtins)) writeBuiltins(folders.builtins)
  adoptCheckouts(folders.checkouts)
  return folders
}

/** Writes the packs of this build: all of them, or none. */
function writeBuiltins(folder: string): void {
  createFolder(dirname(folder))
  const staging = `${folder}.${randomBytes(6).toString('hex')}`
  for (const [path, text] of BUILTIN_FILES) {
    const target = join(staging, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 })
  }
  try {
    renameSync(staging, folder)
    syncFolder(dirname(folder))
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
