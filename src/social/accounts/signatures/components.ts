import { type BareItem, type Item, serializeItem } from 'structured-headers'
import { invalidSignature } from './errors.ts'

/** A request as its sender addressed it. */
export interface SignedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

const DERIVED: Readonly<Record<string, (request: SignedRequest) => string>> = {
  '@method': ({ method }) => method,
  '@target-uri': ({ url }) => url.href,
  '@authority': ({ url }) => url.host,
  '@scheme': ({ url }) => url.protocol.slice(0, -1),
  '@request-target': ({ url }) => url.pathname + url.search,
  '@path': ({ url }) => url.pathname,
  '@query': ({ url }) => url.search || '?',
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** One line of a signature base (RFC 9421 §2): the component as it was named, and its value in this request. */
export function componentLine(item: Item, request: SignedRequest): string {
  return `${serializeItem(item)}: ${componentValue(item, request)}`
}

function componentValue([name, parameters]: Item, request: SignedRequest): string {
  if (typeof name !== 'string') throw invalidSignature('a covered component is not a string')
  if (name === '@query-param') return queryParameter(parameters, request.url)
  const [parameter] = parameters.keys()
  if (parameter !== undefined)
    throw invalidSignature(`the parameter ${shown(parameter)} of a component is not read here`)
  const derive = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined
  if (derive) return derive(request)
  if (!FIELD_NAME.test(name)) throw invalidSignature(`the component ${shown(name)} is not known here`)
  const value = request.headers.get(name)
  if (value === null) throw invalidSignature(`the request has no ${shown(name)}, which the signature covers`)
  return value.trim()
}

/** RFC 9421 §2.2.8: decoded and encoded again; a name that occurs twice has no value. */
function queryParameter(parameters: ReadonlyMap<string, BareItem>, url: URL): string {
  const name = parameters.get('name')
  if (typeof name !== 'string' || parameters.size > 1)
    throw invalidSignature('@query-param needs a name and nothing else')
  const values = [...url.searchParams].filter(([each]) => encodeFormValue(each) === name)
  const [value] = values
  if (value === undefined || values.length > 1)
    throw invalidSignature(`${shown(name)} is not exactly once in the query`)
  return encodeFormValue(value[1])
}

const encodeFormValue = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const shown = (name: string): string => JSON.stringify(name.slice(0, 60))
