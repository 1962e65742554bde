import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import type { FieldError } from '../core/errors.ts'
import { isSecretName, isSecretTable, replaceSecrets, SECRET_MARKER, TOKEN_PREFIXES } from '../core/text/index.ts'

/** The most errors that are reported; the rest of a body is then not checked. */
const MAX_ERRORS = 50
const MAX_VALUE_LENGTH = 200
const MAX_NAMES = 20

/** The errors of a value, each with its location below `root`: `body.items[0].title`. */
export function fieldErrorsOf(errors: Iterable<ValueError>, root: string): FieldError[] {
  const fieldErrors = new Map<string, FieldError>()
  for (const error of errors) {
    if (!fieldErrors.has(error.path)) fieldErrors.set(error.path, toFieldError(error, root))
    if (fieldErrors.size === MAX_ERRORS) break
  }
  return [...fieldErrors.values()]
}

function toFieldError(error: ValueError, root: string): FieldError {
  const inner = onlyAlternative(error)
  if (inner) return toFieldError(inner, root)
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    const parent = error.path.slice(0, error.path.lastIndexOf('/'))
    return { message: `${nameOf(error.path)} is required`, location: toLocation(root, parent) }
  }
  const fieldError: FieldError = { message: messageOf(error), location: toLocation(root, error.path) }
  const value = visibleValue(error)
  return value === undefined ? fieldError : { ...fieldError, value }
}

/** Problem with the string of "a string or null". */
function onlyAlternative(error: ValueError): ValueError | undefined {
  if (error.type !== ValueErrorType.Union) return undefined
  const alternatives: TSchema[] = error.schema.anyOf ?? []
  const values = alternatives.flatMap((schema, at) => (schema[Kind] === 'Null' ? [] : [at]))
  const [only] = values
  return values.length === 1 && only !== undefined ? error.errors[only]?.First() : undefined
}

function messageOf({ type, schema, path, message }: ValueError): string {
  const count = (bound: unknown, thing: string) => `${bound} ${thing}${bound === 1 ? '' : 's'}`
  switch (type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return `${nameOf(path)} is not a property here${describeProperties(schema)}`
    case ValueErrorType.StringMinLength:
      return `must have at least ${count(schema.minLength, 'character')}`
    case ValueErrorType.StringMaxLength:
      return `must have at most ${count(schema.maxLength, 'character')}`
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${count(schema.minItems, 'item')}`
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${count(schema.maxItems, 'item')}`
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return `must be at least ${schema.minimum}`
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return `must be at most ${schema.maximum}`
    case ValueErrorType.StringPattern:
      return schema.examples ? `must be written like ${schema.examples[0]}` : `must match ${schema.pattern}`
    case ValueErrorType.StringFormat:
      return `must be a ${schema.format}${schema.format === 'date-time' ? ' such as 2030-01-31T09:00:00Z' : ''}`
    case ValueErrorType.Union:
    case ValueErrorType.Literal:
      return describeAlternatives(schema) ?? message
    default:
      return schema.type ? `must be ${article(schema.type)}` : message
  }
}

const article = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

/** The properties that there are, unless they are too many to be read. */
function describeProperties({ properties }: TSchema): string {
  const names = Object.keys(properties ?? {})
  return names.length > 0 && names.length <= MAX_NAMES ? `; known: ${names.join(', ')}` : ''
}

function describeAlternatives(schema: TSchema): string | undefined {
  const alternatives: TSchema[] = schema.anyOf ?? [schema]
  const values = alternatives.flatMap((each) => ('const' in each ? [String(each.const)] : []))
  return values.length === alternatives.length
    ? `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`
    : undefined
}

const segments = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

const nameOf = (path: string): string => segments(path).at(-1)?.slice(0, MAX_VALUE_LENGTH) ?? ''

/** `/items/0/title` below `body` → `body.items[0].title`. */
const toLocation = (root: string, path: string): string =>
  segments(path).reduce(
    (at, name) => (/^\d+$/.test(name) ? `${at}[${name}]` : `${at}.${name.slice(0, MAX_VALUE_LENGTH)}`),
    root,
  )

const SECRET_VALUE = new RegExp(`${TOKEN_PREFIXES.join('|')}|bearer |-----BEGIN`, 'i')

/** Received value, for the caller to recognise; without possible secrets and whole objects. */
function visibleValue({ path, value }: ValueError): unknown {
  if (segments(path).some((name) => isSecretName(name) || isSecretTable(name))) return undefined
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (typeof value !== 'string' || SECRET_VALUE.test(value)) return undefined
  return replaceSecrets(value, () => SECRET_MARKER).slice(0, MAX_VALUE_LENGTH)
}
