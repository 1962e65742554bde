import { afterAll, describe, expect, test } from 'bun:test'
import { timers } from '../../cli/io/timers.ts'
import { Client } from '../../src/client/client.ts'
import { ApiError, SupervisorOutage } from '../../src/client/errors.ts'

interface Seen {
  method: string
  key: string | null
}

/** Header that marks gc's responses. */
const SERVER_DATE = 'Sat, 01 Jan 2050 00:00:00 GMT'
const FROM_GC = { 'X-GC-Request-Id': '1' }

/**
 * Responses to the next requests, in order; 200 when none is left. `cut` ends the connection in the middle of the body.
 */
let script: (number | 'cut' | 'expired')[] = []
let seen: Seen[] = []

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ method, headers }) {
    seen.push({ method, key: headers.get('idempotency-key') })
    const next = script.shift() ?? 200
    if (next === 'cut') return new Response('{"items":', { headers: FROM_GC })
    if (next === 'expired') {
      const headers = { ...FROM_GC, Date: SERVER_DATE }
      return Response.json({ code: 'idempotency-expired', detail: 'too old' }, { status: 409, headers })
    }
    const code = next === 409 ? 'idempotency-in-flight' : 'x'
    return Response.json(next === 200 ? { items: [] } : { code, detail: 'it is away' }, {
      status: next,
      headers: FROM_GC,
    })
  },
})
afterAll(() => server.stop(true))

const url = `http://127.0.0.1:${server.port}`
const access = { url, token: 'gcs_x' }

function bridged(answers: typeof script, maxOutageMs = 10_000, locate = () => access): Client {
  script = answers
  seen = []
  return new Client(access, undefined, { timers, maxOutageMs, locate })
}

describe('a call of a program that gc started', () => {
  test('is repeated while the supervisor is away, at the address where it is started again', async () => {
    const places = ['http://127.0.0.1:9', url]
    const client = bridged([503, 'cut'], 10_000, () => ({ url: places.shift() ?? url, token: 'gcs_x' }))
    expect(await client.call('GET /v0/cities')).toMatchObject({ items: [] })
    expect(seen).toEqual(Array.from({ length: 3 }, () => ({ method: 'GET', key: null })))
  })

  test('that changes something carries the same key each time, and waits for its own first attempt', async () => {
    const client = bridged([503, 409])
    await client.call('POST /v0/stop', { body: {} })
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
    const [first] = seen
    await client.call('POST /v0/stop', { body: {} })
    expect(seen.at(-1)?.key).not.toBe(first?.key ?? '')
  })

  test('fails immediately with any other error', async () => {
    for (const status of [401, 404, 409, 500]) {
      const error = await bridged([status])
        .call('POST /v0/stop', { body: {} })
        .catch((error: unknown) => error)
      expect(error).toBeInstanceOf(ApiError)
      expect(seen).toHaveLength(1)
    }
  })

  test('fails with a sentence when the supervisor stays away', async () => {
    const client = bridged(
      Array.from({ length: 100 }, () => 503),
      100,
    )
    const error = await client.call('GET /v0/cities').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(SupervisorOutage)
    expect(error).toMatchObject({ message: expect.stringContaining('it is away') })
    expect(seen.length).toBeLessThan(10)
  })
})

describe('a call of a person', () => {
  const person = (answers: typeof script) => {
    bridged(answers)
    return new Client(access).call('POST /v0/stop', { body: {} }).catch((error: unknown) => error)
  }

  test('is sent again with the same key when its answer was lost', async () => {
    expect(await person(['cut', 409, 503])).toMatchObject({ items: [] })
    expect(seen).toHaveLength(4)
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
    expect(seen[0]?.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  test('fails within a second while the supervisor cannot answer', async () => {
    const error = await person(Array.from({ length: 100 }, () => 503))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ message: 'it is away' })
    expect(seen.length).toBeLessThan(7)
  })

  test('fails where nothing listens without a second attempt', async () => {
    const error = await new Client({ url: 'http://127.0.0.1:9', token: undefined })
      .call('POST /v0/stop', { body: {} })
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ reason: 'connection refused' })
  })

  test('is sent again once under a key of the server’s date where its own is too old', async () => {
    expect(await person(['expired'])).toMatchObject({ items: [] })
    const dates = seen.map(({ key }) => Number.parseInt(`${key?.slice(0, 8)}${key?.slice(9, 13)}`, 16))
    expect(dates).toEqual([expect.any(Number), Date.parse(SERVER_DATE)])
    expect(await person(['expired', 'expired'])).toMatchObject({ code: 'idempotency-expired' })
    expect(seen).toHaveLength(2)
  })
})
