import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { EditLock } from '../../config/files/edit-lock.ts'
import { writeDrafts } from '../../config/files/write-files.ts'
import { AppError } from '../../core/errors.ts'
import type { FormulaLibrary } from './formula-library.ts'

const NAME = /^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,62}[a-zA-Z0-9])?$/
const RESERVED = ['feed']
const MAX_BYTES = 1024 * 1024
const FOLDER = 'formulas'

/** What is wrong with the text of a formula of this name, in sentences; none when it may be saved. */
export async function problemsOf(library: FormulaLibrary, name: string, bytes: Uint8Array): Promise<readonly string[]> {
  if (!NAME.test(name)) return [`invalid formula name "${name}": letters, digits, - and _, 64 at most`]
  if (RESERVED.includes(name)) return [`formula name "${name}" is reserved`]
  const text = decode(bytes)
  return text === undefined ? ['the text is not UTF-8'] : library.judge({ name, text })
}

export function requireBody(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new AppError('invalid-request', 'request body is required: the text of the formula')
  if (bytes.length > MAX_BYTES) throw new AppError('body-too-large', `a formula may have ${MAX_BYTES} bytes at most`)
}

export const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export const isFormulaName = (name: string): boolean => NAME.test(name)

/** Writes the file of a formula of the city, or deletes it; throws when somebody else changes it meanwhile. */
export async function writeFormula(
  city: string,
  file: string,
  change: { readonly before: string | undefined; readonly text: string | undefined },
): Promise<void> {
  for (const path of [join(city, FOLDER), join(city, FOLDER, file)]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new AppError('invalid-request', `${path} is a symbolic link: gc does not write through it`)
    }
  }
  const path = `${FOLDER}/${file}`
  using lock = await EditLock.acquire(city)
  if (await writeDrafts(lock, new Map([[path, change.text]]), () => change.before)) return
  throw new AppError('conflict-concurrent-modify', `conflict: ${path} is being changed by somebody else; try again`)
}
