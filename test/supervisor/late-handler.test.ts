import { expect, test } from 'bun:test'
import type { Server } from 'bun'
import type { RequestHandler } from '../../src/http/app.ts'
import type { SocketData } from '../../src/http/plane-options.ts'
import { LateHandler } from '../../src/supervisor/late-handler.ts'

const server: Server<SocketData> = Object({})

class Answering implements RequestHandler {
  stops = 0

  constructor(private readonly text: string) {}

  fetch(): Response {
    return new Response(this.text)
  }

  stop(): void {
    this.stops++
  }
}

function late() {
  const { promise, resolve: load } = Promise.withResolvers<void>()
  const first = new Answering('first')
  const loaded = new Answering('loaded')
  const handler = new LateHandler(
    () => promise,
    () => loaded,
    first,
  )
  const ask = async (path: string, method = 'GET') =>
    (await handler.fetch(new Request(`http://127.0.0.1${path}`, { method }), server)).text()
  return { handler, first, loaded, load, ask }
}

test('a handler that loads later answers everything except immediate health checks', async () => {
  const { load, ask } = late()
  const waiting = Promise.all([ask('/v0/cities'), ask('/health', 'POST'), ask('/healthy')])
  expect(await ask('/health')).toBe('first')
  load()
  expect(await waiting).toEqual(['loaded', 'loaded', 'loaded'])
  expect(await ask('/health')).toBe('loaded')
})

test('a handler that loads after shutdown is stopped immediately', async () => {
  const { handler, first, loaded, load, ask } = late()
  const waiting = ask('/v0/cities')
  handler.stop()
  expect([first.stops, loaded.stops]).toEqual([1, 0])
  load()
  await waiting
  expect(loaded.stops).toBe(1)
})
