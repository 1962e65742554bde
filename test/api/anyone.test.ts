import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { least, leastQuery, type Operation, operationsOf } from '../support/sample.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type CallOptions, type TestCity, World } from '../support/world.ts'
import { bead } from './town.ts'

let world: World
let city: TestCity
let document: Record<string, unknown>
let operations: Operation[]

beforeAll(async () => {
  world = await World.open()
  city = await world.city()
  // An epic waits for nobody, so that nothing follows from it later.
  await bead(city, 'stays as it is', { type: 'epic' })
  document = (await world.call('GET /openapi.json')).body
  operations = operationsOf(document)
})
afterAll(() => world[Symbol.asyncDispose]())

const inCity = (operation: Operation) => operation.path.startsWith('/v0/city/{cityName}')
const mutates = ({ method }: Operation) => method !== 'GET'

/** The address of an operation, in this city unless another one is given, with an existing bead. */
const address = (operation: Operation, name = city.name) =>
  `${operation.method} ${operation.path.replace('{cityName}', name).replace(/\{\w+\}/g, 'to-1')}${leastQuery(document, operation)}`

function bodyOf(operation: Operation): CallOptions {
  if (operation.takesBytes) return { raw: '{}' }
  return operation.body ? { body: least(document, operation.body) } : {}
}

/** All state that could have changed: the events, the beads and the configuration. */
async function standing() {
  const { body: events } = await world.call('GET /v0/events?limit=1')
  const { body: beads } = await city.call('GET ~/beads?all=true')
  const { body: config } = await city.call('GET ~/config')
  return { cursor: events.event_cursor, beads, config }
}

/** Calls each operation, which must respond as expected and change nothing. */
async function expectRejected(
  some: readonly Operation[],
  ask: (operation: Operation) => Promise<Answer>,
  answer: string,
): Promise<void> {
  expect(some.length).toBeGreaterThan(0)
  const before = await standing()
  const statuses = await Promise.all(
    some.map(async (operation) => {
      const { status, body } = await ask(operation)
      return `${operation.id}: ${status} ${body?.code}`
    }),
  )
  expect(statuses).toEqual(some.map(({ id }) => `${id}: ${answer}`))
  expect(await standing()).toEqual(before)
}

describe('every operation', () => {
  test('responds 404 for an unknown city, after the request was validated', async () => {
    const some = operations.filter((operation) => inCity(operation) && operation.kind !== 'socket')
    const ask = (operation: Operation) => world.call(address(operation, 'nowhere'), bodyOf(operation))
    await expectRejected(some, ask, '404 city-not-found')
  })

  test('rejects an unknown token', async () => {
    const ask = (operation: Operation) =>
      world.call(address(operation), { ...bodyOf(operation), token: `gcs_${'0'.repeat(64)}` })
    await expectRejected(operations, ask, '401 unauthorized')
    const other = (operation: Operation) =>
      world.call(address(operation), { ...bodyOf(operation), headers: { Authorization: 'Basic eDp5' } })
    await expectRejected(operations, other, '401 unauthorized')
  })

  test('rejects a foreign host name', async () => {
    const ask = (operation: Operation) =>
      world.call(address(operation), { ...bodyOf(operation), headers: { Host: 'evil.example:80' } })
    await expectRejected(operations, ask, '421 host-not-allowed')
  })

  test('that changes something requires the request header of gc and rejects foreign origins', async () => {
    const some = operations.filter(mutates)
    const unmarked = (operation: Operation) => world.call(address(operation), { ...bodyOf(operation), unmarked: true })
    await expectRejected(some, unmarked, '403 forbidden')
    const foreign = (operation: Operation) =>
      world.call(address(operation), { ...bodyOf(operation), headers: { Origin: 'https://evil.example' } })
    await expectRejected(some, foreign, '403 forbidden')
  })

  test('responds 400 to a path parameter that cannot be decoded', async () => {
    const some = operations.filter(({ path, kind }) => path.includes('{') && kind !== 'socket')
    for (const broken of ['%ff', '%c3%28', '%ED%A0%80']) {
      const ask = (operation: Operation) => {
        const path = operation.path.replace(/\{(\w+)\}(?!.*\{)/, broken).replace('{cityName}', city.name)
        return world.call(`${operation.method} ${path.replace(/\{\w+\}/g, 'to-1')}`, bodyOf(operation))
      }
      await expectRejected(some, ask, '400 invalid-request')
    }
  })

  test('that opens a WebSocket responds 426 to a request without an upgrade', async () => {
    const ask = (operation: Operation) => world.call(address(operation))
    await expectRejected(
      operations.filter(({ kind }) => kind === 'socket'),
      ask,
      '426 invalid-request',
    )
  })
})

describe('every operation with a body', () => {
  const withBody = () => operations.filter(({ body }) => body !== undefined)
  const sending = (options: CallOptions) => (operation: Operation) => world.call(address(operation), options)

  test('rejects invalid JSON and reports its position', async () => {
    for (const raw of ['{', '{"a":1,}', '[1', 'nothing', '"\u0001"', '{"a":1}{"b":2}']) {
      await expectRejected(
        withBody(),
        sending({ raw, headers: { 'Content-Type': 'application/json' } }),
        '400 validation-failed',
      )
    }
    const { body } = await city.call('POST ~/beads', { raw: '{"title":\n  oops}' })
    expect(body.detail).toBe('the body is not JSON: unexpected "o" at line 2, column 3')
  })

  test('rejects every other content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      await expectRejected(
        withBody(),
        sending({ raw: '{}', headers: { 'Content-Type': type } }),
        '415 validation-failed',
      )
    }
  })

  test('rejects every other content type even where no body is read, unless it is empty', async () => {
    const bare = operations.filter((operation) => mutates(operation) && !operation.body && !operation.takesBytes)
    const type = 'application/x-www-form-urlencoded'
    await expectRejected(bare, sending({ raw: 'a=1', headers: { 'Content-Type': type } }), '415 validation-failed')
    expect((await world.call('GET /v0/cities', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(200)
  })

  test('rejects a missing body if it is required', async () => {
    const some = withBody().filter(({ bodyRequired }) => bodyRequired)
    await expectRejected(
      some,
      sending({ raw: '', headers: { 'Content-Type': 'application/json' } }),
      '400 invalid-request',
    )
  })

  test('rejects unknown fields by name, and a body that is not an object', async () => {
    const surprising = (operation: Operation) => {
      const body = { ...Object(least(document, operation.body)), surprising: 1 }
      return world.call(address(operation), { body })
    }
    await expectRejected(withBody(), surprising, '422 validation-failed')
    for (const body of [[], 'text', 1, true])
      await expectRejected(withBody(), sending({ body }), '422 validation-failed')
  })

  test('takes 64 levels of lists and objects, and no more', async () => {
    const headers = { 'Content-Type': 'application/json' }
    for (const raw of [
      '['.repeat(20_000),
      '{"a":'.repeat(65) + 1 + '}'.repeat(65),
      `[${'['.repeat(64)}${']'.repeat(65)}`,
    ])
      await expectRejected(withBody(), sending({ raw, headers }), '422 body-too-deep')
    const { body } = await city.call('POST ~/beads', { raw: '['.repeat(65), headers })
    expect(body.detail).toBe('the body is nested more than 64 levels deep; send a flatter one')
    const deep = { id: 'to-900', title: 'a', created_at: '2026-01-01T00:00:00Z', metadata: { a: 'A' } }
    const imported = (levels: number) =>
      city.call('POST ~/beads/import', {
        raw: JSON.stringify(deep).replace('"A"', '['.repeat(levels) + ']'.repeat(levels)),
      })
    const rejected = await imported(63)
    expect([rejected.status, rejected.body.detail]).toEqual([422, 'line 1 is nested more than 64 levels deep'])
    expect((await imported(50_000)).status).toBe(422)
    expect((await imported(62)).status).toBe(200)
  })

  test('reads at most one megabyte, or four where the output of a step may be part of it', async () => {
    const outputs = /bead-by-id(-update)?$|^(create-bead|update-beads)$/
    const sized = (size: number) => sending({ raw: JSON.stringify({ x: 'x'.repeat(size) }) })
    const [large, usual] = [true, false].map((is) => withBody().filter(({ id }) => outputs.test(id) === is))
    await expectRejected(usual ?? [], sized(1024 * 1024), '413 body-too-large')
    await expectRejected(large ?? [], sized(4 * 1024 * 1024), '413 body-too-large')
  })

  test('waits at most five seconds for the body', async () => {
    const { hostname, port } = new URL(world.url)
    const { promise, resolve } = Promise.withResolvers<string>()
    let received = ''
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => {
          received += bytes.toString()
          if (received.includes('}')) resolve(received)
        },
        close: () => resolve(received),
      },
    })
    socket.write(
      `POST /v0/city/${city.name}/beads HTTP/1.1\r\nHost: 127.0.0.1\r\nX-GC-Request: 1\r\nContent-Length: 20\r\n\r\n{"ti`,
    )
    expect(await promise).toContain('"code":"request-timeout"')
    expect(received).toStartWith('HTTP/1.1 408')
    socket.end()
  }, 20_000)
})

describe('a repeated request', () => {
  test('with the same Idempotency-Key gets the first response, and is rejected if its body differs', async () => {
    const keyed = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
    expect(keyed.length).toBeGreaterThan(3)
    const made: Record<string, object> = {
      'create-bead': { title: 'a' },
      'create-convoy': { title: 'a' },
      'create-agent': { name: 'a', provider: 'amp' },
      'declare-agent': { name: 'b', start_command: 'true', max_active_sessions: 0 },
      'create-rig': { name: 'r', path: '.' },
    }
    for (const operation of keyed.filter(({ id }) => id in made)) {
      const body = made[operation.id]
      const headers = { 'Idempotency-Key': `key of ${operation.id}` }
      const send = (more: object) => world.call(address(operation), { body: { ...body, ...more }, headers })
      const [first, second] = await Promise.all([send({}), send({})])
      expect(first.status).toBe(201)
      // The second request arrived during the first one, or after it.
      expect([201, 409]).toContain(second.status)
      const seq = await city.head()
      const third = await send({})
      expect([operation.id, third.status, third.body]).toEqual([operation.id, 201, first.body])
      const name = 'title' in Object(body) ? { title: 'z' } : { name: 'z' }
      const other = await send(name)
      expect([operation.id, other.status, other.body.code]).toEqual([operation.id, 422, 'idempotency-mismatch'])
      expect(await city.recorded(seq)).toEqual([])
    }
  })
})

describe('a city whose database failed', () => {
  test('rejects changes with the reason, and other cities are not affected', async () => {
    const broken = await world.city('broken')
    await bead(broken, 'before')
    rmSync(join(broken.path, '.gc/city.db-wal'))
    const { status, body } = await broken.call('POST ~/beads', { body: { title: 'lost' } })
    // The city may have noticed by a write of its own, and is closed then.
    expect(['503 store-unavailable', '404 city-not-found']).toContain(`${status} ${body.code}`)
    const listed = async (): Promise<{ name: string; error?: string }> =>
      (await world.call('GET /v0/cities')).body.items.find(({ name }: { name: string }) => name === 'broken')
    const { error } = await eventually('the city stops', 10_000, listed, (seen) => seen.error !== undefined)
    const again = await broken.call('POST ~/convoys', { body: { title: 'lost' } })
    expect([again.status, again.body.code]).toEqual([404, 'city-not-found'])
    expect(again.body.detail).toEndWith(`broken (${error})`)
    expect((await city.call('POST ~/beads', { body: { title: 'fine' } })).status).toBe(201)
  })
})
