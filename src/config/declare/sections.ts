import { type Declaration, declareFields } from './declaration.ts'
import type { FieldSet, ValuesOf } from './fields.ts'
import type { SectionReader } from './section-reader.ts'

/** The blocks of an array of tables, such as `[[agent]]`. */
export const blocksOf = <Fields extends FieldSet>(reader: SectionReader, key: string, fields: Fields, kind?: string) =>
  reader.blocks(key, kind).map((block) => declareFields(block, fields))

/** The tables under a name, such as `[providers.<name>]`. */
export function tablesOf<Fields extends FieldSet>(
  reader: SectionReader,
  key: string,
  fields: Fields,
): ReadonlyMap<string, Declaration<ValuesOf<Fields>>> {
  const tables = reader.child(key, `${key}.*`)
  return new Map(tables.keys.map((name) => [name, declareFields(tables.child(name, key), fields)]))
}

/** `[formulas] dir` of older files, which may name the one folder that formulas are in anyway. */
export function requireFormulaFolder(reader: SectionReader): void {
  if (!reader.has('formulas')) return
  const section = reader.child('formulas')
  const dir = section.string('dir')
  if (dir !== undefined && !/^(\.\/)?formulas\/?$/.test(dir)) {
    section.error('dir', 'formulas live in formulas/; take this key out')
  }
}
