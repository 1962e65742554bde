import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import type { FieldError } from '../core/errors.ts'
import { compile } from './check.ts'
import { validationFailed } from './problem.ts'

/** Reads what an operation declares out of the text after the `?`. */
export type QueryReader = (text: string) => Record<string, unknown>

type Parse = (text: string) => unknown

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

/** The value of text that does not parse; the check then says what it must be. */
const PARSERS: Record<string, Parse> = {
  Integer: (text) => (/^[+-]?\d{1,18}$/.test(text) ? Number(text) : text),
  Number: (text) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text),
  Boolean: (text) => (TRUE.has(text) ? true : FALSE.has(text) ? false : text),
}

const asIs: Parse = (text) => text

interface Field {
  name: string
  schema: TSchema
  parse: Parse
}

/** Query objects are open and an empty value is absence; the first of a repeated parameter counts, but for lists. */
export function queryReader(schema: TObject): QueryReader {
  const fields: Field[] = Object.entries(schema.properties).map(([name, field]) => ({
    name,
    schema: field,
    parse: parserOf(field),
  }))
  const check = compile({ ...schema, additionalProperties: true }, 'query')
  return (text) => {
    const given = new URLSearchParams(text)
    const query: Record<string, unknown> = {}
    for (const field of fields) {
      const value = read(field, given)
      if (value !== undefined) query[field.name] = value
    }
    const fieldErrors = check(query)
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors.map((fieldError) => withLocation(fieldError)))
    return query
  }
}

function read({ name, schema, parse }: Field, given: URLSearchParams): unknown {
  if (schema[Kind] === 'Array') {
    const items = given
      .getAll(name)
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '')
    return items.length > 0 ? items.map(parse) : schema.default
  }
  const text = given.get(name)
  return text ? parse(text) : schema.default
}

const parserOf = (schema: TSchema): Parse => PARSERS[(schema[Kind] === 'Array' ? schema.items : schema)[Kind]] ?? asIs

/** A missing parameter is placed at its own name. */
function withLocation(fieldError: FieldError): FieldError {
  const missing = fieldError.location === 'query' && /^(\S+) is required$/.exec(fieldError.message)?.[1]
  return missing ? { ...fieldError, location: `query.${missing}` } : fieldError
}
