import type { TSchema } from '@sinclair/typebox'
import type { JsonObject, SchemaComponents } from './components.ts'
import { IDEMPOTENCY_KEY, isRepeatable } from './idempotency.ts'
import type { Route } from './route.ts'

/** Parameters of a request to this operation besides its body. */
export function parametersOf(route: Route, components: SchemaComponents, marked: boolean): JsonObject[] {
  const { method, path, spec } = route
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => pathParameter(name))
  const inQuery = Object.entries<TSchema>(spec.query?.properties ?? {}).map(([name, schema]) =>
    queryParameter(name, components.show(schema), spec.query?.required?.includes(name) ?? false),
  )
  const inHeaders = Object.entries(spec.headers ?? {}).map(([name, description]) => ({
    in: 'header',
    name,
    description,
    schema: { type: 'string' },
  }))
  const mark = method === 'GET' || !marked ? [] : [MARK]
  const key = isRepeatable(route) ? [KEY] : []
  return [...mark, ...inPath, ...(spec.blocking ? BLOCKING : []), ...inQuery, ...inHeaders, ...key]
}

/** Shows that a page of another origin did not send the request. */
const MARK: JsonObject = {
  in: 'header',
  name: 'X-GC-Request',
  required: true,
  description: 'Any value: browsers do not let pages of other origins send it.',
  schema: { type: 'string', minLength: 1 },
}

const KEY: JsonObject = {
  in: 'header',
  name: IDEMPOTENCY_KEY,
  description:
    'Any text, best a UUIDv7. Sent again with the same key and body within a day, the request is carried out once and ' +
    'gets the first answer.',
  schema: { type: 'string' },
}

const BLOCKING: JsonObject[] = [
  {
    in: 'query',
    name: 'index',
    description: 'Respond once an event newer than this number is recorded: the `X-GC-Index` of the previous response.',
    schema: { type: 'string' },
    explode: false,
  },
  {
    in: 'query',
    name: 'wait',
    description:
      'Maximum wait for one: default `30s`, maximum `5m`. The response also arrives when deferred work becomes ' +
      'ready. No event is recorded for that, so the index is unchanged.',
    schema: { type: 'string' },
    explode: false,
  },
]

const pathParameter = (name: string): JsonObject => ({
  in: 'path',
  name,
  required: true,
  schema: name === 'cityName' ? { type: 'string', minLength: 1, pattern: '\\S' } : { type: 'string' },
})

/** The description stands at the parameter, where readers look for it. */
function queryParameter(name: string, { description, ...schema }: JsonObject, required: boolean): JsonObject {
  return {
    in: 'query',
    name,
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    schema,
    explode: false,
  }
}

const REQUEST_ID: JsonObject = { $ref: '#/components/headers/X-GC-Request-Id' }
const INDEX: JsonObject = {
  description: 'The number of the city’s newest event.',
  schema: { type: 'integer', format: 'int64', minimum: 0 },
}
const ETAG = {
  description: 'Send it as `If-None-Match` with the next request.',
  schema: { type: 'string' },
}
const AGE: JsonObject = {
  description: 'The age of the response, in seconds.',
  schema: { type: 'number', format: 'double' },
}

/** Headers of an operation's success. */
export function headersOf({ index, age, publicRead, responseHeaders: replies }: Route['spec']): JsonObject {
  const own = Object.entries(replies ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return {
    'X-GC-Request-Id': REQUEST_ID,
    ...(index ? { 'X-GC-Index': INDEX } : {}),
    ...(index || age ? { 'X-GC-Cache-Age-S': AGE } : {}),
    ...(publicRead ? { ETag: ETAG } : {}),
    ...Object.fromEntries(own),
  }
}
