import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { FieldError } from '../core/errors.ts'
import { fieldErrorsOf } from './field-errors.ts'

/** Lists what is wrong with a value; empty when it fits. */
export type Check = (value: unknown) => readonly FieldError[]

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
/** The keys that TypeBox checks in a map: those without a line break. It leaves the values of others unchecked. */
const TYPEBOX_KEYS = '^(.*)$'
const EVERY_KEY = '^[^]*$'
const FINE: readonly FieldError[] = []

FormatRegistry.Set('date-time', (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)))
FormatRegistry.Set('uri', (text) => URL.canParse(text))

/** Compiles a schema once for all values that are checked against it; locations begin with `root`. */
export function compile(schema: TSchema, root: string): Check {
  const compiled = TypeCompiler.Compile(withEveryKey(schema))
  return (value) => (compiled.Check(value) ? FINE : fieldErrorsOf(compiled.Errors(value), root))
}

/** The schema with maps of which every key is checked, at any depth. */
function withEveryKey(schema: TSchema): TSchema {
  const { properties, patternProperties, items, anyOf, allOf } = schema
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties, keyPattern) }),
    ...(items && { items: Array.isArray(items) ? items.map(withEveryKey) : withEveryKey(items) }),
    ...(anyOf && { anyOf: anyOf.map(withEveryKey) }),
    ...(allOf && { allOf: allOf.map(withEveryKey) }),
  }
}

const keyPattern = (pattern: string): string => (pattern === TYPEBOX_KEYS ? EVERY_KEY : pattern)

const mapValues = (schemas: Record<string, TSchema>, rename = (name: string) => name): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [rename(name), withEveryKey(schema)]))
