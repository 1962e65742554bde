import { describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { ERRORS } from '../../src/core/error-catalogue.ts'
import { documentOf } from '../../src/http/document.ts'
import { route, socket } from '../../src/http/route.ts'
import { AsyncAcceptedBody, listOf, nullable, OKResponseBody, paging } from '../../src/http/schema.ts'
import { documentProblems } from '../support/document-problems.ts'
import { misfits } from '../support/schema.ts'
import { serve } from './serve.ts'

const Owner = Type.Object({ name: Type.String() }, { $id: 'Owner', additionalProperties: false })
const Lamp = Type.Object(
  {
    id: Type.String(),
    owner: Type.Optional(Owner),
    state: Type.Union([Type.Literal('on'), Type.Literal('off')]),
    note: nullable(Type.String()),
    keeper: nullable(Owner),
    tags: Type.Record(Type.String(), Type.String()),
    at: Type.Tuple([Type.Number(), Type.Number()]),
  },
  { $id: 'Lamp', additionalProperties: false },
)
const Tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }), { $id: 'Tree' })
const Lamps = listOf(Lamp, 'ListBodyLamp')
const NoKind = Type.Object({}, { $id: 'NoKind', additionalProperties: false })

const routes = [
  route(
    'GET ~/lamps',
    {
      id: 'get-lamps',
      summary: 'List lamps',
      query: Type.Object({ ...paging, rig: Type.String() }),
      ok: Lamps,
      index: true,
      blocking: true,
    },
    () => ({ items: [], total: 0 }),
  ),
  route(
    'POST ~/lamps',
    {
      id: 'create-lamp',
      summary: 'Hang a lamp',
      body: Lamp,
      ok: { 201: Lamp, 202: AsyncAcceptedBody },
    },
    (x) => x.body,
  ),
  route(
    'GET ~/lamp/{id}',
    {
      id: 'get-lamp',
      summary: 'Show a lamp',
      description: 'With <b>everything</b>.',
      ok: Lamp,
      errors: ['bead-not-found', 'conflict-wrong-state'],
      age: true,
    },
    () => {
      throw new TypeError('not asked here')
    },
  ),
  route('DELETE ~/lamp/{id}', { id: 'delete-lamp', summary: 'Take a lamp down', ok: OKResponseBody }, () => ({
    status: 'deleted',
  })),
  route(
    'PUT ~/lamp/{id}/film',
    {
      id: 'put-film',
      summary: 'Load a film',
      body: Type.Uint8Array(),
      ok: { 204: Type.Void() },
      responseHeaders: { Location: 'Where it is.' },
    },
    () => undefined,
  ),
  route(
    'GET ~/lamps/stream',
    { id: 'stream-lamps', summary: 'Follow lamps', ok: { frames: { event: Lamp } } },
    async function* () {},
  ),
  route('GET ~/trees', { id: 'get-trees', summary: 'Show trees', ok: Tree, extension: true }, () => ({ children: [] })),
  route('GET /health', { id: 'get-health', summary: 'Tell how it is', ok: OKResponseBody }, () => ({ status: 'ok' })),
  route(
    'GET /v0/metrics',
    { id: 'get-metrics', summary: 'Count', ok: { media: 'text/plain; version=0.0.4' }, extension: true },
    () => 'lamps 3\n',
  ),
  socket('GET ~/lamp/{id}/wire', { id: 'get-wire', summary: 'Touch a lamp', sends: Lamp, extension: true }, () => ({})),
]

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary parts of the document
const made = (): any =>
  JSON.parse(
    JSON.stringify(documentOf({ info: { title: 'Lamps', version: '1.2.3', description: 'All lamps.' }, routes })),
  )

describe('the document', () => {
  test('has no errors', () => {
    expect(documentProblems(made())).toEqual([])
  })

  test('is OpenAPI 3.1.0 with the given title and version', () => {
    expect(made()).toMatchObject({ openapi: '3.1.0', info: { title: 'Lamps', version: '1.2.3' } })
  })

  test('is served at /openapi.json', async () => {
    await using server = serve({ routes })
    const response = await server.get('/openapi.json')
    expect(response.headers.get('content-type')).toBe('application/json')
    const served = (await response.json()) as ReturnType<typeof made>
    expect(served.paths).toEqual(made().paths)
  })

  test('defines each named schema once and references it, including nested ones', () => {
    const { schemas } = made().components
    expect(Object.keys(schemas)).toEqual([
      'AsyncAcceptedBody',
      'ErrorDetail',
      'ErrorModel',
      'HeartbeatEvent',
      'Lamp',
      'ListBodyLamp',
      'OKResponseBody',
      'Owner',
      'Tree',
    ])
    expect(schemas.Lamp.properties.owner).toEqual({ $ref: '#/components/schemas/Owner' })
    expect(schemas.ListBodyLamp.properties.items).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Lamp' },
    })
    expect(schemas.Tree.properties.children.items).toEqual({ $ref: '#/components/schemas/Tree' })
  })

  test('writes enums, nulls, maps and tuples as JSON Schema', () => {
    const { state, note, keeper, tags, at } = made().components.schemas.Lamp.properties
    expect(state).toEqual({ type: 'string', enum: ['on', 'off'] })
    expect(note).toEqual({ type: ['string', 'null'] })
    expect(keeper).toEqual({ anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] })
    expect(tags).toEqual({ type: 'object', additionalProperties: { type: 'string' } })
    expect(at).toMatchObject({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false })
  })

  test('offers one of the named branches of a named union, and the property that distinguishes them', () => {
    const shape = ($id: string, kind: TSchema) => Type.Object({ id: Type.String(), kind }, { $id })
    const [on, off] = [shape('On', Type.Literal('on')), shape('Off', Type.Literal('off'))]
    const other = shape('Other', Type.String({ not: { enum: ['on', 'off'] } }))
    const [told, untold] = [Type.Union([on, off, other], { $id: 'Told' }), Type.Union([on, NoKind], { $id: 'Untold' })]
    const info = { title: 't', version: '1', description: '' }
    const { components } = documentOf({ info, routes: [], shapes: [told, untold] })
    const refs = (...names: string[]) => names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
    expect(components).toMatchObject({
      schemas: {
        Told: {
          oneOf: refs('On', 'Off', 'Other'),
          discriminator: {
            propertyName: 'kind',
            mapping: { on: '#/components/schemas/On', off: '#/components/schemas/Off' },
          },
        },
        Untold: { oneOf: refs('On', 'NoKind') },
      },
    })
    expect(components).not.toHaveProperty('schemas.Untold.discriminator')
  })

  test('names a type of content without its parameters', () => {
    const text = route('GET /v0/t', { id: 't', summary: 't', ok: { media: 'text/plain; version=0.0.4' } }, () => '')
    const { paths } = documentOf({ info: { title: 't', version: '1', description: '' }, routes: [text] })
    expect(paths).toMatchObject({
      '/v0/t': { get: { responses: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } } } },
    })
    expect(JSON.stringify(paths)).not.toContain('version=')
  })

  test('rejects two schemas with the same name', () => {
    const other = route(
      'GET /v0/o',
      { id: 'o', summary: 'o', ok: Type.Object({ a: Type.String() }, { $id: 'Lamp' }) },
      () => ({ a: '' }),
    )
    expect(() => documentOf({ info: { title: '', version: '', description: '' }, routes: [...routes, other] })).toThrow(
      'two different shapes are called Lamp',
    )
  })

  test('lists every problem type in the extension that the contract defines', () => {
    const info = { title: '', version: '', description: '' }
    const document: ReturnType<typeof made> = JSON.parse(
      JSON.stringify(documentOf({ info, routes, reservedCodes: ['lamp-lost'] })),
    )
    const types: string[] = document.components.schemas.ErrorModel.properties.type['x-gascity-problem-types']
    const documented = JSON.stringify(document.paths).match(/(?<=`)[a-z]+(-[a-z]+)+(?=`[^"]*","headers")/g) ?? []
    expect(documented).toContain('bead-not-found')
    for (const code of [...documented, 'lamp-lost']) expect(types).toContain(`urn:gascity:error:${code}`)
    expect(types).toEqual([...new Set(types)].sort())
    const entries = document.components.schemas.ErrorModel.properties.code['x-gc-errors']
    expect(entries['bead-not-found']).toEqual({ ...ERRORS['bead-not-found'] })
  })

  test('lists the parameters of each request', () => {
    const { get, post } = made().paths['/v0/city/{cityName}/lamps']
    const names = (of: { parameters: { in: string; name: string }[] }) =>
      of.parameters.map((one) => `${one.in} ${one.name}`)
    expect(names(get)).toEqual([
      'path cityName',
      'query index',
      'query wait',
      'query cursor',
      'query limit',
      'query rig',
    ])
    expect(names(post)).toEqual(['header X-GC-Request', 'path cityName', 'header Idempotency-Key'])
    expect(get.parameters[0].schema).toEqual({ type: 'string', minLength: 1, pattern: '\\S' })
    expect(get.parameters[4].schema).toEqual({
      type: 'integer',
      format: 'int64',
      default: 100,
      minimum: 0,
      maximum: 1000,
    })
    expect(get.parameters[5].required).toBe(true)
    expect(post.parameters[0]).toMatchObject({ required: true, schema: { type: 'string', minLength: 1 } })
  })

  test('describes bodies as JSON or binary', () => {
    const { paths } = made()
    expect(paths['/v0/city/{cityName}/lamps'].post.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Lamp' } } },
    })
    expect(paths['/v0/city/{cityName}/lamp/{id}/film'].put.requestBody.content).toEqual({
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    })
  })

  test('lists the success responses with their headers', () => {
    const { paths } = made()
    expect(Object.keys(paths['/v0/city/{cityName}/lamps'].post.responses).slice(0, 2)).toEqual(['201', '202'])
    expect(Object.keys(paths['/v0/city/{cityName}/lamps'].get.responses[200].headers)).toEqual([
      'X-GC-Request-Id',
      'X-GC-Index',
      'X-GC-Cache-Age-S',
    ])
    expect(Object.keys(paths['/v0/city/{cityName}/lamp/{id}'].get.responses[200].headers)).toEqual([
      'X-GC-Request-Id',
      'X-GC-Cache-Age-S',
    ])
    expect(paths['/v0/city/{cityName}/lamp/{id}/film'].put.responses[204].content).toBeUndefined()
    expect(paths['/v0/city/{cityName}/lamp/{id}/film'].put.responses[204].headers.Location.description).toBe(
      'Where it is.',
    )
    expect(paths['/v0/metrics'].get.responses[200].content).toEqual({
      'text/plain': { schema: { type: 'string' } },
    })
    expect(paths['/v0/city/{cityName}/lamp/{id}/wire'].get.responses[101]['x-gc-messages']).toEqual({
      sends: { $ref: '#/components/schemas/Lamp' },
    })
  })

  test('describes streams with every frame type, including the heartbeat', () => {
    const { schema } = made().paths['/v0/city/{cityName}/lamps/stream'].get.responses[200].content['text/event-stream']
    const kinds = schema.items.oneOf.map((one: { properties: { event: { const: string }; data: unknown } }) => [
      one.properties.event.const,
      one.properties.data,
    ])
    expect(kinds).toEqual([
      ['event', { $ref: '#/components/schemas/Lamp' }],
      ['heartbeat', { $ref: '#/components/schemas/HeartbeatEvent' }],
    ])
  })

  test('lists every possible error as a problem response', () => {
    const { get, delete: drop } = made().paths['/v0/city/{cityName}/lamp/{id}']
    expect(Object.keys(get.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '421',
      '422',
      '500',
      '503',
    ])
    expect(Object.keys(drop.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '415',
      '421',
      '422',
      '500',
      '503',
    ])
    expect(get.responses[404].description).toBe('Errors: `city-not-found`, `bead-not-found`.')
    expect(get.responses[404].content).toEqual({
      'application/problem+json': { schema: { $ref: '#/components/schemas/ErrorModel' } },
    })
    expect(Object.keys(made().paths['/health'].get.responses)).toEqual(['200', '401', '413', '421', '500', '503'])
  })

  test('tags singular and plural paths alike and marks extensions', () => {
    const { paths, tags } = made()
    expect(tags).toEqual([{ name: 'health' }, { name: 'lamps' }, { name: 'metrics' }, { name: 'trees' }])
    expect(paths['/v0/city/{cityName}/lamp/{id}'].get).toMatchObject({
      tags: ['lamps'],
      description: 'With <b>everything</b>.',
    })
    expect(paths['/v0/city/{cityName}/trees'].get['x-gc-extension']).toBe(true)
    expect(paths['/v0/city/{cityName}/lamps'].get['x-gc-extension']).toBeUndefined()
  })
})

describe('the document checks', () => {
  test('report missing summaries, dangling references, missing types, duplicate ids and unused schemas', () => {
    const document = made()
    document.paths['/health'].get.summary = ''
    document.paths['/health'].get.operationId = 'get-lamps'
    document.components.schemas.Lamp.properties.owner = { $ref: '#/components/schemas/Nobody' }
    document.components.schemas.Lamp.properties.id = { minLength: 1 }
    document.components.schemas.Idle = { type: 'object' }
    expect(documentProblems(document)).toEqual([
      'GET /health: has no summary',
      'get-lamps: names two operations',
      '#/components/schemas/Lamp/properties/owner: #/components/schemas/Nobody leads nowhere',
      '#/components/schemas/Lamp/id: has no type',
      'Idle: is used nowhere',
    ])
  })

  test('report values that do not match their schema', () => {
    const document = made()
    const lamp = { id: 'a', state: 'on', note: null, keeper: { name: 'k' }, tags: { a: 'b' }, at: [1, 2] }
    const fits = (value: unknown) => misfits(document, { $ref: '#/components/schemas/Lamp' }, value)
    expect(fits(lamp)).toEqual([])
    expect(fits({ ...lamp, state: 'dim' })).toEqual(['body.state: dim is none of on,off'])
    expect(fits({ ...lamp, extra: 1 })).toEqual(['body.extra: not declared'])
    expect(fits({ ...lamp, tags: { a: 1 } })).toEqual(['body.tags.a: is integer, not string'])
    expect(fits({ id: 'a' })).toContain('body.at: missing')
    expect(fits({ ...lamp, keeper: { nam: 'k' } })[0]).toStartWith('body.keeper: fits no choice')
  })
})
