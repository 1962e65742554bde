import { type Declaration, declareFields } from './declaration.ts'
import type { FieldReader, FieldSet, ValuesOf } from './fields.ts'

/** A table under a section, such as `[webhook.verify]`. */
export const table = <Fields extends FieldSet>(
  key: string,
  fields: Fields,
): FieldReader<Declaration<ValuesOf<Fields>>> => ({
  key,
  read: (section) => (section.has(key) ? declareFields(section.child(key), fields) : undefined),
})

/** The blocks of an array of tables under a section, such as `[[webhook.rule]]`. */
export const tables = <Fields extends FieldSet>(
  key: string,
  fields: Fields,
): FieldReader<readonly Declaration<ValuesOf<Fields>>[]> => ({
  key,
  read: (section) => (section.has(key) ? section.blocks(key).map((block) => declareFields(block, fields)) : undefined),
})
