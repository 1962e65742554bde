import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { AppError } from '../../src/core/errors.ts'
import { socket } from '../../src/http/route.ts'
import { serve } from './serve.ts'

const closures: string[] = []
const terminal = socket(
  'GET ~/session/{id}/terminal',
  {
    id: 'get-session-terminal',
    summary: 'Attach to a terminal',
    query: Type.Object({ ticket: Type.Optional(Type.String()) }),
    extension: true,
    takes: Type.Object({ keys: Type.String() }, { $id: 'Keys' }),
  },
  async (x) => {
    if (x.query.ticket !== 'good')
      throw new AppError('forbidden', 'the ticket is unknown or has ended; ask for a new one')
    return {
      open: (ws) => ws.send(`${x.params.id} for ${x.caller.kind}`),
      message(ws, data) {
        if (data === 'break') throw new TypeError('broken')
        ws.send(typeof data === 'string' ? data.toUpperCase() : data.map((byte) => byte + 1))
      },
      close: (_, code) => closures.push(`closed ${code}`),
    }
  },
)

const PATH = '/v0/city/c/session/c-1/terminal'

async function open(url: string, headers: Record<string, string> = {}) {
  const client = new WebSocket(url.replace('http', 'ws'), { headers })
  client.binaryType = 'arraybuffer'
  const messages: unknown[] = []
  const waiting: ((message: unknown) => void)[] = []
  client.onmessage = ({ data }) => {
    const next = waiting.shift()
    if (next) next(data)
    else messages.push(data)
  }
  const closed = new Promise<number>((resolve) => {
    client.onclose = ({ code }) => resolve(code)
  })
  await new Promise<void>((resolve, reject) => {
    client.onopen = () => resolve()
    client.onerror = () => reject(new Error('it did not open'))
  })
  const next = () =>
    messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((resolve) => waiting.push(resolve))
  return { client, next, closed }
}

describe('a socket', () => {
  test('opens with its parameters and carries text and binary messages both ways', async () => {
    await using server = serve({ routes: [terminal] })
    const { client, next, closed } = await open(`${server.url}${PATH}?ticket=good`)
    expect(await next()).toBe('c-1 for human')
    client.send('hello')
    expect(await next()).toBe('HELLO')
    client.send(new Uint8Array([1, 2]))
    expect(new Uint8Array((await next()) as ArrayBuffer)).toEqual(new Uint8Array([2, 3]))
    client.close(1000)
    await closed
  })

  test('is rejected with an HTTP response that carries a request id', async () => {
    await using server = serve({ routes: [terminal] })
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    }
    const bad = await server.get(`${PATH}?ticket=bad`, upgrade)
    expect([bad.status, bad.headers.get('content-type')]).toEqual([403, 'application/problem+json'])
    expect(bad.headers.get('x-gc-request-id')).toMatch(/^[0-9a-f]{16}$/)
    const foreign = await server.get(`${PATH}?ticket=good`, { ...upgrade, origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const misnamed = await server.get(`${PATH}?ticket=good`, { ...upgrade, host: 'evil.example' })
    expect(misnamed.status).toBe(421)
  })

  test('requires an upgrade before checking the ticket', async () => {
    await using server = serve({ routes: [terminal] })
    const response = await server.get(`${PATH}?ticket=bad`)
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
  })

  test('opens with only its ticket where a token is required', async () => {
    await using server = serve({ routes: [terminal], guard: { requireToken: true } })
    const { client, next, closed } = await open(`${server.url}${PATH}?ticket=good`)
    expect(await next()).toBe('c-1 for human')
    client.close()
    await closed
    await expect(open(`${server.url}${PATH}`)).rejects.toThrow()
  })

  test('closes with 1011 and reports the error if its handler throws', async () => {
    await using server = serve({ routes: [terminal] })
    const { client, closed } = await open(`${server.url}${PATH}?ticket=good`)
    client.send('break')
    expect(await closed).toBe(1011)
    expect(server.socketErrors).toEqual([new TypeError('broken')])
  })

  test('closes with 1001 when the server stops', async () => {
    const server = serve({ routes: [terminal] })
    const { closed } = await open(`${server.url}${PATH}?ticket=good`)
    await server[Symbol.asyncDispose]()
    expect(await closed).toBe(1001)
  })
})
