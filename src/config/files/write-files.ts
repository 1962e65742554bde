import { randomBytes } from 'node:crypto'
import { realpathSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, errorMessage, hasCode } from '../../core/errors.ts'
import { readText } from '../../core/files.ts'
import { createFolder, requireNoLinks, syncFolder } from '../../core/folders.ts'
import type { EditLock } from './edit-lock.ts'
import { AGENTS_FOLDER, CITY_FILE } from './file-names.ts'
import type { Drafts } from './file-snapshot.ts'

interface PreparedFile {
  readonly path: string
  readonly before: string | undefined
  /** The new text, on disk under another name; undefined to delete the file. */
  readonly temporary: string | undefined
}

/**
 * Writes drafts over the files they were made from, in their order, each whole or not at all; they are on disk when
 * this resolves. False, and nothing changed, when one of the files is no longer what its draft was made from.
 */
export async function writeDrafts(
  { folder }: EditLock,
  drafts: Drafts,
  originalText: (file: string) => string | undefined,
): Promise<boolean> {
  const prepared: PreparedFile[] = []
  try {
    for (const [file, text] of drafts) prepared.push(await prepare(pathInside(folder, file), text, originalText(file)))
    if (prepared.some(({ path, before }) => readText(path) !== before)) return false
    replaceAll(prepared)
    for (const parent of new Set(prepared.map(({ path }) => dirname(path)))) syncParent(parent)
    return true
  } catch (error) {
    const code = hasCode(error, 'ENOSPC', 'EDQUOT') ? 'store-unavailable' : 'conflict-wrong-state'
    throw new AppError(code, `the configuration could not be written, and is as it was: ${errorMessage(error)}`)
  } finally {
    for (const { temporary } of prepared) if (temporary) await removeTemporary(temporary)
  }
}

/** The path of a file of the city; nothing outside it is ever written. */
function pathInside(folder: string, file: string): string {
  const path = join(folder, file)
  if (!path.startsWith(join(folder, '/'))) throw new Error(`${file} is not in the city`)
  // The file of a person may lie elsewhere, among other settings; what gc writes for itself may not.
  if (file !== CITY_FILE) requireNoLinks(folder, file)
  return path
}

async function prepare(named: string, text: string | undefined, before: string | undefined): Promise<PreparedFile> {
  if (text === undefined) return { path: named, before, temporary: undefined }
  const path = before === undefined ? named : realpathSync(named)
  createFolder(dirname(path))
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  try {
    await writeSynced(temporary, text, before === undefined ? 0o644 : statSync(path).mode & 0o777)
    return { path, before, temporary }
  } catch (error) {
    await removeTemporary(temporary)
    throw error
  }
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes what was prepared, and the folder of an agent that was made for it. */
async function removeTemporary(path: string): Promise<void> {
  await rm(path, { force: true })
  if (isAgentFolder(dirname(path))) removeIfEmpty(dirname(path))
}

function replaceAll(prepared: readonly PreparedFile[]): void {
  const replaced: PreparedFile[] = []
  try {
    for (const file of prepared) {
      if (file.temporary) renameSync(file.temporary, file.path)
      else if (file.before !== undefined) unlinkSync(file.path)
      replaced.push(file)
    }
  } catch (error) {
    for (const { path, before } of replaced.reverse()) {
      if (before === undefined) unlinkSync(path)
      else writeFileSync(path, before)
    }
    throw error
  }
}

/** Puts the names in a folder on disk; removes an agent's folder when its last file was deleted. */
function syncParent(folder: string): void {
  const isRemoved = isAgentFolder(folder) && removeIfEmpty(folder)
  syncFolder(isRemoved ? dirname(folder) : folder)
}

const isAgentFolder = (folder: string): boolean => basename(dirname(folder)) === AGENTS_FOLDER

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}
