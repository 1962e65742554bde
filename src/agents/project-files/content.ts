import { type ParseError, parse } from 'jsonc-parser'
import { isTable, mergeSettings } from './merge-settings.ts'
import type { NamedTable, Settings, WantedFile } from './wanted.ts'

const SECRET_MODE = 0o600
const MODE = 0o644

/** What is to be written to a place. */
export interface Content {
  readonly bytes: Buffer
  readonly mode: number
}

type MergedFile = Extract<WantedFile, { kind: 'settings' | 'tables' }>

/** What a shared file becomes: what is in it, and what is put into it. Throws when it cannot be read. */
export function mergedContent(path: string, wanted: MergedFile, base: string): Content {
  const text = wanted.kind === 'settings' ? mergedSettings(path, wanted, base) : withTables(base, wanted.tables)
  return { bytes: Buffer.from(text), mode: wanted.isSecret ? SECRET_MODE : MODE }
}

function mergedSettings(path: string, wanted: Extract<WantedFile, { kind: 'settings' }>, base: string): string {
  return `${JSON.stringify(mergeSettings(path, parseSettings(base), wanted.parts), null, 2)}\n`
}

/** Settings may hold comments; those of an object of any other kind, or of broken text, are not ours to rewrite. */
function parseSettings(text: string): Settings {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const settings: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || !isTable(settings)) throw new TypeError('it is not an object of settings')
  return settings
}

/** The text with the tables that it does not have yet. */
function withTables(text: string, tables: readonly NamedTable[]): string {
  const headers = new Set(text.split('\n').map((line) => line.trim()))
  const added = tables.filter(({ header }) => !headers.has(header)).map((table) => `${table.text}\n`)
  return [...(text.trim() === '' ? [] : [`${text.trimEnd()}\n`]), ...added].join('\n')
}
