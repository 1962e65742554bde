import { readText } from '../../core/files.ts'
import { contains } from '../../core/folders.ts'
import { parseToml, type TomlPairs, TomlSyntaxError, toPlainValue } from '../../core/toml/index.ts'
import { asObject, isObject, type JsonRecord, parseJson } from '../entries/index.ts'

/** The home of the user whose programs run. */
export interface UserHome {
  /** The variables of the program, which lead it to its own home when nothing confines it. */
  readonly env: Readonly<Record<string, string>>
  readonly home: string
}

/** The place of a program's first run. */
export interface FirstRun extends UserHome {
  readonly workDir: string
  /** The dialogs that the user accepted in earlier sessions. */
  readonly accepted?: { readonly trust: boolean; readonly permissions: boolean }
}

/** Trust in a session's folder that the user gave in another session. */
export const trustedNow = ({ workDir, accepted }: FirstRun, said: unknown): JsonRecord =>
  accepted?.trust ? { [workDir]: said } : {}

/** The entries of the working folder and of the folders around it. */
export const around = (byPath: JsonRecord, { workDir }: FirstRun): JsonRecord =>
  Object.fromEntries(Object.entries(byPath).filter(([path]) => contains(path, workDir)))

export const pick = (record: JsonRecord, keys: readonly string[]): JsonRecord =>
  Object.fromEntries(keys.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]])))

export const withoutEmpty = (record: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0))

export const pairsOf = (record: JsonRecord): TomlPairs =>
  Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? [[key, value] as const] : [],
  )

export const readJson = (path: string): JsonRecord => asObject(parseJson(readText(path) ?? ''))

export function readToml(path: string): JsonRecord {
  try {
    return asObject(toPlainValue(parseToml(readText(path) ?? '')))
  } catch (error) {
    if (error instanceof TomlSyntaxError) return {}
    throw error
  }
}
