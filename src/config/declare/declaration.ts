import type { Diagnostics, SourceLocation } from '../files/index.ts'
import type { FieldReader, FieldSet, ValuesOf } from './fields.ts'
import type { DeclaredBlock, FieldOrigin, FieldOrigins } from './origin.ts'
import type { SectionReader } from './section-reader.ts'

/** Declarations of one table: only the written fields, each with its origin. */
export interface Declaration<Values> {
  readonly block: DeclaredBlock
  readonly values: Partial<Values>
  readonly origins: FieldOrigins<Values>
  readonly fields: FieldSet
  /** The name by which the city or a rig imports the pack that declares it; its own name begins with it. */
  readonly binding?: string
  /** Reason it cannot be used, although the rest of the city can. */
  readonly broken?: string
  /** Problems in it that affect nothing else; complete once its file was read to the end. */
  readonly problems?: Diagnostics
}

/** Reads the fields of a section; what is not written stays undefined. */
export function declareFields<Fields extends FieldSet>(
  reader: SectionReader,
  fields: Fields,
): Declaration<ValuesOf<Fields>> {
  const values: Record<string, unknown> = {}
  const origins: Record<string, FieldOrigin> = {}
  for (const name in fields) {
    const field = fields[name]
    const value = field?.read(reader)
    if (!field || value === undefined) continue
    values[name] = value
    origins[name] = reader.originOf(field.key)
  }
  // The names and values are those of `fields`, which the compiler does not follow through the loop.
  return {
    ...{ block: reader.block, fields },
    values: values as Partial<ValuesOf<Fields>>,
    origins: origins as FieldOrigins<ValuesOf<Fields>>,
  }
}

/** A declaration with another value in one field. */
export function withValue<Values, Name extends keyof Values>(
  declaration: Declaration<Values>,
  name: Name,
  value: Values[Name] | undefined,
  origin: FieldOrigin | undefined,
): Declaration<Values> {
  if (value === undefined || origin === undefined) return declaration
  return {
    ...declaration,
    values: { ...declaration.values, [name]: value },
    origins: { ...declaration.origins, [name]: origin },
  }
}

/** Two declarations of one thing, field by field, the higher over the lower; each value keeps its origin. */
export function mergeFields<Values>(lower: Declaration<Values>, higher: Declaration<Values>): Declaration<Values> {
  const values = valuesOver(higher.fields, lower.values, higher.values)
  return { ...higher, values, origins: { ...lower.origins, ...higher.origins } }
}

/** Puts the values of a patch over those of a declaration, which stays where it is. */
export function mergeValues<Values extends object>(
  declaration: Declaration<Values>,
  changes: Readonly<Record<string, unknown>>,
  { block, origins: written }: Declaration<object>,
): Declaration<Values> {
  const values = valuesOver(declaration.fields, declaration.values, changes)
  const origins = { ...declaration.origins }
  for (const name of Object.keys(changes))
    Reflect.set(origins, name, Reflect.get(written, name) ?? { block, line: block.line, key: name })
  return { ...declaration, values, origins }
}

/** Values of a higher layer over those of a lower one: tables are merged, everything else is replaced. */
function valuesOver<Values>(fields: FieldSet, lower: Partial<Values>, higher: object): Partial<Values> {
  const values = { ...lower }
  for (const [name, value] of Object.entries(higher)) {
    const merge = fields[name]?.merge
    const below: unknown = Reflect.get(values, name)
    Reflect.set(values, name, merge && below !== undefined && value !== undefined ? merge(below, value) : value)
  }
  return values
}

/** Place to report a problem with a field: its line in the block, else the block. */
export function locationOf<Values>(
  { block, origins, fields }: Declaration<Values>,
  name: keyof Values & string,
): SourceLocation {
  const origin = origins[name]
  const isOwn = origin?.block === block
  const key = isOwn ? origin.key : (fields[name]?.key ?? name)
  return { file: block.file, line: isOwn ? origin.line : block.line, key: `${block.section} ${key}`.trim() }
}

/** Place where the value of a field was written, including patches; the block if it is a default. */
export function originOf<Values>(
  { block, origins, fields }: Declaration<Values>,
  name: keyof Values & string,
): SourceLocation {
  const { block: written, line, key } = origins[name] ?? { block, line: block.line, key: fields[name]?.key ?? name }
  return { file: written.file, line, key: `${written.section} ${key}`.trim() }
}

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
