import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { FieldError } from '../core/errors.ts'
import { fieldErrorsOf } from './field-errors.ts'

/** Lists what is wrong with a value; empty when it fits. */
export type Check = (value: unknown) => readonly FieldError[]

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
const FINE: readonly FieldError[] = []

FormatRegistry.Set('date-time', (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)))
FormatRegistry.Set('uri', (text) => URL.canParse(text))

/** Compiles a schema once for all values that are checked against it; locations begin with `root`. */
export function compile(schema: TSchema, root: string): Check {
  const compiled = TypeCompiler.Compile(schema)
  return (value) => (compiled.Check(value) ? FINE : fieldErrorsOf(compiled.Errors(value), root))
}
