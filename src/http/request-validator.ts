import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'
import { AppError } from '../core/errors.ts'
import { parseBlockingQuery } from './blocking-query.ts'
import { requireJsonIfAny } from './body.ts'
import { type Check, compile } from './check.ts'
import { validationFailed } from './problem.ts'
import { type QueryReader, queryReader } from './query.ts'
import type { Route, Stream, Success } from './route.ts'
import { createNullStripper, type NullStripper } from './strip-nulls.ts'

/** What kind of success an operation has, decided once. */
export type SuccessKind =
  /** `isList`: its items may be a part, and it then says so. */
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

/** How an operation takes its body: parsed, as bytes, or not at all. */
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

  /** Which event the request wants to be answered after. */
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
