import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'
import type { ApiCode } from '../core/error-catalogue.ts'
import { type ErrorCode, toErrorCode } from '../core/errors.ts'
import { byKey } from '../core/text/index.ts'
import { type JsonObject, SchemaComponents } from './components.ts'
import { type PlaneDialect, supervisorDialect } from './dialect.ts'
import { isRepeatable } from './idempotency.ts'
import { headersOf, parametersOf } from './parameters.ts'
import { bodyKindOf, successKindOf } from './request-validator.ts'
import type { Media, Route, Stream } from './route.ts'
import { HeartbeatEvent } from './schema.ts'

/** Title, version and description of a plane in its document. */
export interface Info {
  title: string
  version: string
  description: string
}

/** Inputs of a document. */
export interface DocumentParts {
  readonly info: Info
  readonly routes: readonly Route[]
  /** Error codes that clients may meet and that no operation declares. */
  readonly reservedCodes?: readonly string[]
  /** Shapes that clients know by name and no operation refers to. */
  readonly shapes?: readonly TSchema[]
}

/** The OpenAPI 3.1 document of a plane, put together from the declarations of its routes. */
export function documentOf(
  { info, routes, reservedCodes = [], shapes = [] }: DocumentParts,
  dialect = supervisorDialect,
): JsonObject {
  const components = new SchemaComponents()
  const tagOf = tagger(routes, dialect.prefix)
  const paths: Record<string, JsonObject> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] ?? {}, {
      [route.method.toLowerCase()]: operation(route, tagOf(route), components, dialect),
    })
  }
  const tags = [...new Set(routes.map(tagOf))].sort().map((name) => ({ name }))
  showProblem(components, dialect, [
    ...routes.flatMap((route) => errorCodesOf(route, dialect).map(({ code }) => code)),
    ...reservedCodes,
  ])
  for (const shape of shapes) components.show(shape)
  return {
    openapi: '3.1.0',
    info: { ...info },
    security: dialect.requiresCredential ? [{ token: [] }] : OPTIONAL_CREDENTIAL,
    tags,
    paths: sorted(paths),
    components: {
      schemas: sorted(components.schemas),
      headers: SHARED_HEADERS,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: dialect.credential },
      },
    },
  }
}

const OPTIONAL_CREDENTIAL = [{}, { token: [] }]

const SHARED_HEADERS: JsonObject = {
  'X-GC-Request-Id': {
    description: 'Identifies this request in the server’s log.',
    schema: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  },
}

function operation(route: Route, tag: string, components: SchemaComponents, dialect: PlaneDialect): JsonObject {
  const { spec } = route
  return {
    operationId: spec.id,
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    tags: [tag],
    ...(spec.open ? { security: [] } : {}),
    ...(spec.publicRead ? { security: OPTIONAL_CREDENTIAL } : {}),
    ...(spec.extension ? { 'x-gc-extension': true } : {}),
    ...(spec.needs ? { 'x-gc-needs': spec.needs } : {}),
    parameters: parametersOf(route, components, dialect.requiresRequestHeader),
    ...(spec.body ? { requestBody: requestBody(spec.body, components) } : {}),
    responses: {
      ...successResponses(route, components),
      ...(spec.publicRead ? { 304: NOT_CHANGED } : {}),
      ...errorResponses(route, components, dialect),
    },
  }
}

const NOT_CHANGED = {
  description: 'The response would be the one whose `ETag` is in `If-None-Match`; it is not sent again.',
}

function requestBody(body: TSchema, components: SchemaComponents): JsonObject {
  const media = bodyKindOf(body) === 'bytes' ? 'application/octet-stream' : 'application/json'
  return { required: body[OptionalKind] !== 'Optional', content: { [media]: { schema: components.show(body) } } }
}

function successResponses(route: Route, components: SchemaComponents): JsonObject {
  const { ok } = route.spec
  const headers = headersOf(route.spec)
  const one = (description: string, content?: JsonObject): JsonObject => ({
    description,
    headers,
    ...(content ? { content } : {}),
  })
  if (Kind in ok) return { 200: one('Done.', contentOf(ok as TSchema, components)) }
  if ('frames' in ok)
    return {
      200: one('A stream of server-sent events that stays open.', {
        'text/event-stream': frames(ok as Stream, components),
      }),
    }
  if ('media' in ok) return { 200: one('Done.', mediaContent(ok as Media, components)) }
  if ('upgrade' in ok)
    return { 101: { ...one('The connection is now a WebSocket.'), ...messages(ok.upgrade, components) } }
  const entries = Object.entries<TSchema>(ok)
  return Object.fromEntries(
    entries.map(([status, schema]) => [
      status,
      one(STATUS_DESCRIPTIONS[status] ?? 'Done.', contentOf(schema, components)),
    ]),
  )
}

/** A type of content stands without its parameters, by which it is looked up. */
const mediaContent = ({ media, json }: Media, components: SchemaComponents): JsonObject => ({
  [media.replace(/;.*/, '')]: { schema: { type: 'string' } },
  ...(json && { 'application/json': { schema: components.show(json) } }),
})

const STATUS_DESCRIPTIONS: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: the work continues after this response.',
  204: 'Done: the response has no body.',
}

const contentOf = (schema: TSchema, components: SchemaComponents): JsonObject | undefined =>
  ['Void', 'Undefined'].includes(schema[Kind]) ? undefined : { 'application/json': { schema: components.show(schema) } }

/** Every kind of frame with its event name, the heartbeat among them. */
function frames(ok: Stream, components: SchemaComponents): JsonObject {
  const kinds = Object.entries<TSchema>({ ...ok.frames, heartbeat: HeartbeatEvent }).map(([event, data]) => ({
    type: 'object',
    title: `Event ${event}`,
    properties: { id: { type: 'string' }, event: { type: 'string', const: event }, data: components.show(data) },
    required: ['event', 'data'],
  }))
  return { schema: { type: 'array', title: 'Server-sent events', items: { oneOf: kinds } } }
}

function messages(upgrade: unknown, components: SchemaComponents): JsonObject {
  const shapes = Object.entries<TSchema | undefined>({ ...(upgrade as Record<string, TSchema | undefined>) })
  const shown = shapes.flatMap(([way, schema]) => (schema ? [[way, components.show(schema)]] : []))
  return shown.length > 0 ? { 'x-gc-messages': Object.fromEntries(shown) } : {}
}

/** The shape of error bodies, with the codes they may carry. */
function showProblem(components: SchemaComponents, { problems }: PlaneDialect, codes: readonly string[]): void {
  components.show(problems.model)
  const name = problems.model.$id
  const model = name === undefined ? undefined : components.schemas[name]
  if (name === undefined || !model || !problems.listCodes) return
  components.schemas[name] = problems.listCodes(model, [...new Set(codes)].sort())
}

/** The errors that any operation of this kind shares, and those that its declaration adds. */
function errorResponses(route: Route, components: SchemaComponents, dialect: PlaneDialect): JsonObject {
  const { problems } = dialect
  const problem = { [problems.media]: { schema: components.show(problems.model) } }
  const byStatus = Map.groupBy(errorCodesOf(route, dialect), (code) => problems.status(code))
  const entries = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, given]) => {
      const codes = [...new Set(given.map(({ code }) => `\`${code}\``))].join(', ')
      return [status, { description: `Errors: ${codes}.`, headers: REQUEST_ID, content: problem }]
    })
  return Object.fromEntries(entries)
}

const REQUEST_ID: JsonObject = { 'X-GC-Request-Id': { $ref: '#/components/headers/X-GC-Request-Id' } }

function errorCodesOf(route: Route, dialect: PlaneDialect): ErrorCode[] {
  const { spec } = route
  const codes: ErrorCode[] = []
  const add = (...more: readonly (ApiCode | ErrorCode)[]) => codes.push(...more.map(toErrorCode))
  add(...dialect.commonErrors(route))
  if (route.method === 'GET' && successKindOf(spec.ok).kind === 'json') add('response-too-large', 'service-unavailable')
  if (spec.body) {
    add('invalid-request', 'request-timeout', 'body-too-large')
    if (bodyKindOf(spec.body) === 'json') {
      add('body-too-deep', { code: 'validation-failed', status: 400 }, { code: 'validation-failed', status: 415 })
    }
  }
  if (!spec.body && route.method !== 'GET') add({ code: 'validation-failed', status: 415 })
  if (successKindOf(spec.ok).kind === 'socket') add({ code: 'invalid-request', status: 426 })
  if (isRepeatable(route))
    add('idempotency-expired', 'idempotency-in-flight', 'idempotency-mismatch', 'idempotency-unknown')
  if (typeof spec.repeat === 'object' && 'secret' in spec.repeat) add('idempotency-secret')
  add(...(spec.errors ?? []))
  return codes
}

/** The first word of a path below its city; `bead` and `beads` are one area. */
export function tagger(routes: readonly Route[], prefix: string): (route: Route) => string {
  const area = ({ path }: Route) =>
    path
      .slice(prefix.length)
      .replace(/^\/v0(\/city\/\{cityName\})?/, '')
      .split('/')
      .filter(Boolean)[0] ?? 'city'
  const areas = new Set(routes.map(area))
  return (route) => {
    const word = area(route)
    if (word === 'city' || word === 'cities') return 'cities'
    return areas.has(`${word}s`) ? `${word}s` : word
  }
}

const sorted = (of: Record<string, JsonObject>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(of).sort(byKey))
