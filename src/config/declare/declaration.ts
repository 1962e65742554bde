import type { SourceLocation } from '../diagnostics/diagnostics.ts'
import type { FieldSet, ValuesOf } from './fields.ts'
import type { DeclaredBlock, FieldOrigin, FieldOrigins } from './origin.ts'
import type { SectionReader } from './section-reader.ts'

/** What one table declares: only the fields that were written, each with its origin. */
export interface Declaration<Values> {
  readonly block: DeclaredBlock
  readonly values: Partial<Values>
  readonly origins: FieldOrigins<Values>
  readonly fields: FieldSet
}

/** Reads the fields of a section; what is not written stays undefined. */
export function declareFields<Fields extends FieldSet>(
  reader: SectionReader,
  fields: Fields,
): Declaration<ValuesOf<Fields>> {
  const written = Object.entries(fields).flatMap(([name, field]) => {
    const value = field.read(reader)
    return value === undefined ? [] : [{ name, value, origin: reader.originOf(field.key) }]
  })
  // The entries are those of `fields`, which the compiler does not follow through an object's entries.
  const values = Object.fromEntries(written.map(({ name, value }) => [name, value])) as Partial<ValuesOf<Fields>>
  const origins = Object.fromEntries(written.map(({ name, origin }) => [name, origin])) as FieldOrigins<
    ValuesOf<Fields>
  >
  return { block: reader.block, values, origins, fields }
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

/** Where to report a problem with a field: where it was written in the block itself, else the block. */
export function locationOf<Values>(
  { block, origins, fields }: Declaration<Values>,
  name: keyof Values & string,
): SourceLocation {
  const origin = origins[name]
  const isOwn = origin?.block === block
  const key = isOwn ? origin.key : (fields[name]?.key ?? name)
  return { file: block.file, line: isOwn ? origin.line : block.line, key: `${block.section} ${key}`.trim() }
}
