import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { adoptBackup, BackupFile } from '../city/backup/index.ts'
import { Config, type DeclaredProgram, declaredPrograms } from '../config/compose/index.ts'
import { openPackFolders } from '../config/packs/index.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { createFolder, syncFolder } from '../core/folders.ts'

export interface RestoreOptions {
  /** Leaves out links and files that no city has, instead of rejecting the backup for them. */
  readonly skipUnknown: boolean
  /** `$GC_HOME`, where fetched packs lie. */
  readonly home: string
  /** Aborting it leaves nothing behind. */
  readonly signal: AbortSignal
}

/** A city that was restored; it is suspended. */
export interface Restored {
  readonly city: string
  readonly path: string
  readonly at: string
  /** Parts of the backup that were left out. */
  readonly skipped: readonly string[]
  /** Programs that it starts once resumed. */
  readonly programs: readonly DeclaredProgram[]
  /** Reason its programs cannot be told: its configuration has errors. */
  readonly problem?: string
}

/**
 * Restores a backup into a folder that is empty or not there yet. All of it is judged before anything is written; it is
 * unpacked beside the folder and put there as a whole, so what fails leaves nothing.
 */
export async function restore(file: string, folder: string, options: RestoreOptions): Promise<Restored> {
  const path = resolve(folder)
  checkGoal(path)
  await using backup = await BackupFile.open(resolve(file))
  const { manifest, skipped } = await backup.check(options, path)
  const missing = missingFolders(dirname(path))
  const stage = join(dirname(path), `.${basename(path)}.restoring-${randomBytes(6).toString('hex')}`)
  try {
    createFolder(dirname(path))
    await backup.unpack(options, stage)
    await adoptBackup(stage, path, manifest)
    options.signal.throwIfAborted()
    renameSync(stage, path)
    syncFolder(dirname(path))
    const { city, at } = manifest
    return { city, path, at, skipped, ...(await programsOf(path, options.home)) }
  } catch (error) {
    await rm(stage, { recursive: true, force: true })
    removeIfEmpty(missing)
    throw error
  }
}

/** Reads a backup as `restore` does, and returns the names of what its city has and it has not. */
export async function checkBackup(file: string, signal: AbortSignal): Promise<readonly string[]> {
  await using backup = await BackupFile.open(resolve(file))
  const { manifest } = await backup.check({ skipUnknown: false, signal }, dirname(resolve(file)))
  return manifest.left_out ?? []
}

function checkGoal(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return
  if (stats.isDirectory() && readdirSync(path).length === 0) return
  const reason = stats.isDirectory() ? 'is not empty' : 'is not a folder'
  throw new AppError('conflict-wrong-state', `${path} ${reason}; restore into a new folder`)
}

/** The folders above that do not exist yet, the innermost first. */
function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at)
  return missing
}

function removeIfEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

async function programsOf(path: string, home: string): Promise<Pick<Restored, 'programs' | 'problem'>> {
  try {
    const { current } = await Config.open(path, undefined, { folders: openPackFolders(home) })
    return { programs: declaredPrograms(current) }
  } catch (error) {
    return { programs: [], problem: errorMessage(error) }
  }
}
