import { randomBytes } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { createFolder, syncFolder } from '../../core/folders.ts'

/** New texts by file, named from the city; undefined deletes a file. They are put in place in this order. */
export type Drafts = ReadonlyMap<string, string | undefined>

interface Prepared {
  readonly at: string
  readonly before: string | undefined
  /** The new text, on disk under another name; undefined to delete the file. */
  readonly waiting: string | undefined
}

/**
 * Puts drafts in place of the files they were made from, each whole or not at all, and on disk when this resolves.
 * False, and nothing changed, when one of them is no longer what its draft was made from.
 */
export async function writeDrafts(
  path: string,
  drafts: Drafts,
  madeFrom: (file: string) => string | undefined,
): Promise<boolean> {
  const prepared: Prepared[] = []
  try {
    for (const [file, text] of drafts) prepared.push(await prepare(inside(path, file), text, madeFrom(file)))
    if (prepared.some(({ at, before }) => textAt(at) !== before)) return false
    replaceAll(prepared)
    for (const folder of new Set(prepared.map(({ at }) => dirname(at)))) settle(folder)
    return true
  } catch (error) {
    const reason = errorMessage(error)
    const code = /ENOSPC|EDQUOT/.test(reason) ? 'store-unavailable' : 'conflict-wrong-state'
    throw new AppError(code, `the configuration could not be written, and is as it was: ${reason}`)
  } finally {
    for (const { waiting } of prepared) if (waiting) await rm(waiting, { force: true })
  }
}

/** Where a file of the city is; nothing outside it is ever written. */
function inside(path: string, file: string): string {
  const at = join(path, file)
  if (!at.startsWith(join(path, '/'))) throw new Error(`${file} is not in the city`)
  return at
}

async function prepare(named: string, text: string | undefined, before: string | undefined): Promise<Prepared> {
  if (text === undefined) return { at: named, before, waiting: undefined }
  const at = before === undefined ? named : realpathSync(named)
  createFolder(dirname(at))
  const waiting = join(dirname(at), `.${basename(at)}.${randomBytes(6).toString('hex')}`)
  const file = await open(waiting, 'wx', before === undefined ? 0o644 : statSync(at).mode & 0o777)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  return { at, before, waiting }
}

function textAt(at: string): string | undefined {
  try {
    return readFileSync(at, 'utf8')
  } catch {
    return undefined
  }
}

function replaceAll(prepared: readonly Prepared[]): void {
  const done: Prepared[] = []
  try {
    for (const one of prepared) {
      if (one.waiting) renameSync(one.waiting, one.at)
      else if (one.before !== undefined) unlinkSync(one.at)
      done.push(one)
    }
  } catch (error) {
    for (const { at, before } of done.reverse()) {
      if (before === undefined) unlinkSync(at)
      else writeFileSync(at, before)
    }
    throw error
  }
}

/** Puts the names in a folder on disk; takes an agent's folder away when its last file was deleted. */
function settle(folder: string): void {
  const gone = basename(dirname(folder)) === 'agents' && removeEmpty(folder)
  syncFolder(gone ? dirname(folder) : folder)
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}
