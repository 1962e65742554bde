import { Kind, OptionalKind, type TObject, type TSchema } from '@sinclair/typebox'
import { AppError, type FieldError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import { parseBlockingQuery } from './blocking-query.ts'
import { requireJsonIfAny } from './body.ts'
import { type Check, compile } from './check.ts'
import { validationFailed } from './respond/index.ts'
import type { Route, Stream, Success } from './route.ts'
/** Kind of an operation's success, decided once. */
export type SuccessKind =
  /** `isList`: its items may be a part, and it then has `partial`. */
  | { kind: 'json'; status: number; empty: boolean; isList: boolean }
  | { kind: 'stream' }
  | { kind: 'media'; media: string }
  | { kind: 'socket' }

export function successKindOf(ok: Success): SuccessKind {
  if (Kind in ok) return { kind: 'json', status: 200, empty: isEmpty(ok), isList: isList(ok) }
  if ('frames' in ok) return { kind: 'stream' }
  if ('media' in ok) return { kind: 'media', media: String(ok.media) }
  if ('upgrade' in ok) return { kind: 'socket' }
  const [first] = Object.entries<TSchema>(ok)
  if (!first) throw new TypeError('an operation has at least one success')
  return { kind: 'json', status: Number(first[0]), empty: isEmpty(first[1]), isList: false }
}

const isList = ({ properties }: TSchema): boolean =>
  properties?.items?.type === 'array' && properties.partial !== undefined && properties.partial_errors !== undefined

const isEmpty = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  Kind in schema &&
  ['Void', 'Undefined'].includes(String(schema[Kind]))

export const isStream = (ok: Success): ok is Stream => successKindOf(ok).kind === 'stream'

/** Handling of an operation's body: parsed, as bytes, or none. */
export type BodyKind = 'json' | 'bytes' | 'none'

export const bodyKindOf = (body: TSchema | undefined): BodyKind =>
  body === undefined ? 'none' : body[Kind] === 'Uint8Array' ? 'bytes' : 'json'

/** Holds requests to an operation's declaration; compiled when the first one comes. */
export class RequestValidator {
  readonly blocking: boolean
  readonly #route: Route
  #query: QueryReader | undefined
  #check: Check | undefined
  #stripNulls: NullStripper | undefined

  constructor(route: Route) {
    this.#route = route
    this.blocking = route.spec.blocking !== undefined
  }

  query(search: string): unknown {
    const { query } = this.#route.spec
    if (!query) return undefined
    this.#query ??= queryReader(query)
    return this.#query(search)
  }

  /** The body that was read of a request, checked. A change that reads none takes no other type than JSON either. */
  body(value: unknown, request: Request): unknown {
    const { method, spec } = this.#route
    const { body } = spec
    if (!body && method !== 'GET') requireJsonIfAny(request)
    if (!body) return undefined
    if (value === undefined || (value instanceof Uint8Array && value.length === 0)) return this.#absent(body)
    if (!this.#check) {
      this.#check = compile(body, 'body')
      this.#stripNulls = createNullStripper(body)
    }
    this.#stripNulls?.(value)
    const fieldErrors = this.#check(value)
    if (fieldErrors.length > 0) throw validationFailed([...fieldErrors])
    return value
  }

  /** Event after which the request wants a response. */
  blockingQuery(search: string) {
    return this.blocking ? parseBlockingQuery(search) : undefined
  }

  #absent(body: TSchema): undefined {
    if (body[OptionalKind] !== 'Optional') throw new AppError('invalid-request', 'request body is required')
  }
}

/** The contract's parameters of a path, decoded; the router has null where the encoding is broken. */
export function decodeParams(names: readonly (readonly [string, string])[], raw: Record<string, string | null>) {
  const params: Record<string, string> = {}
  for (const [name, key] of names) {
    const value = raw[key]
    if (typeof value !== 'string') {
      throw new AppError('invalid-request', `the path does not decode: ${name} is not valid percent-encoded UTF-8`)
    }
    params[name] = value
  }
  if (params.cityName !== undefined && params.cityName.trim() === '') {
    throw validationFailed([{ message: 'must name a city', location: 'path.cityName', value: params.cityName }])
  }
  return params
}

/** Takes the nulls out of a value that its schema allows to be absent but not to be null. */
type NullStripper = (value: unknown) => void

/** The tidier of a schema; undefined when no null in it can mean absence. */
function createNullStripper(schema: TSchema): NullStripper | undefined {
  if (schema[Kind] === 'Object') return createObjectStripper(schema)
  if (schema[Kind] === 'Array') return createItemStripper(schema.items, (value) => (Array.isArray(value) ? value : []))
  if (schema[Kind] === 'Record') {
    const [item] = Object.values<TSchema>(schema.patternProperties ?? {})
    return item && createItemStripper(item, (value) => (isObject(value) ? Object.values(value) : []))
  }
  const values = (schema.anyOf ?? []).filter((one: TSchema) => one[Kind] !== 'Null')
  return values.length === 1 ? createNullStripper(values[0]) : undefined
}

function createItemStripper(item: TSchema, children: (value: unknown) => unknown[]): NullStripper | undefined {
  const strip = createNullStripper(item)
  return strip && ((value) => children(value).forEach(strip))
}

function createObjectStripper(schema: TSchema): NullStripper | undefined {
  const properties = Object.entries<TSchema>(schema.properties ?? {})
  const optional = properties.flatMap(([name, property]) => (isStrippable(property) ? [name] : []))
  const nested = properties.flatMap(([name, property]) => {
    const strip = createNullStripper(property)
    return strip ? [{ name, strip }] : []
  })
  if (optional.length + nested.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return
    for (const name of optional) if (value[name] === null) delete value[name]
    for (const { name, strip } of nested) if (Object.hasOwn(value, name)) strip(value[name])
  }
}

const isStrippable = (schema: TSchema): boolean => schema[OptionalKind] === 'Optional' && !acceptsNull(schema)

const acceptsNull = (schema: TSchema): boolean =>
  ['Null', 'Any', 'Unknown'].includes(schema[Kind]) || (schema.anyOf ?? []).some(acceptsNull)

/** Reads what an operation declares out of the text after the `?`. */
type QueryReader = (text: string) => Record<string, unknown>

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
function queryReader(schema: TObject): QueryReader {
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
