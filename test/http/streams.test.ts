import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Type } from '@sinclair/typebox'
import { AppError } from '../../src/core/errors.ts'
import type { Exchange } from '../../src/http/route.ts'
import { route } from '../../src/http/route.ts'
import type { SseFrame } from '../../src/http/sse.ts'
import { serve } from './serve.ts'

const Note = Type.Object({ type: Type.String() }, { $id: 'Note' })

const streaming = (frames: (x: Pick<Exchange, 'signal' | 'request'>) => AsyncIterable<SseFrame>) =>
  route(
    'GET ~/events/stream',
    { id: 'stream-events', summary: 'Follow', ok: { frames: { event: Note } }, errors: ['city-not-found'] },
    frames,
  )

const PATH = '/v0/city/c/events/stream'
const frame = (n: number): SseFrame => ({ id: String(n), event: 'event', data: { type: 'note', n } })

/** Frames pushed by the test; `ended` resolves once the stream stops reading them. */
function source() {
  const waiting: SseFrame[] = []
  let wake = () => {}
  let close = () => {}
  const ended = new Promise<void>((resolve) => {
    close = resolve
  })
  return {
    ended,
    push(frame: SseFrame) {
      waiting.push(frame)
      wake()
    },
    async *frames({ signal }: Pick<Exchange, 'signal'>): AsyncGenerator<SseFrame> {
      signal.addEventListener('abort', () => wake())
      try {
        while (!signal.aborted) {
          const next = waiting.shift()
          if (next) yield next
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        close()
      }
    },
  }
}

/** Reads the text of a stream incrementally. */
function reading(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    cancel: () => reader.cancel(),
    /** Resolves with the text so far once it ends with this. */
    async until(end: string): Promise<string> {
      while (!text.endsWith(end)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`the stream ended after ${JSON.stringify(text)}`)
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    async rest(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}

describe('a stream', () => {
  test('sends its headers immediately, before the first frame', async () => {
    const events = source()
    await using server = serve({ routes: [streaming(events.frames)] })
    const response = await server.get(PATH)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('x-gc-request-id')).toMatch(/^[0-9a-f]{16}$/)
    await reading(response).cancel()
    await events.ended
  })

  test('sends each frame as it arrives, in order', async () => {
    const events = source()
    await using server = serve({ routes: [streaming(events.frames)] })
    const reader = reading(await server.get(PATH))
    events.push(frame(1))
    expect(await reader.until('1}\n\n')).toEndWith('id: 1\nevent: event\ndata: {"type":"note","n":1}\n\n')
    events.push(frame(2))
    events.push(frame(3))
    const text = await reader.until('3}\n\n')
    expect(text.match(/^id: \d$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3'])
    await reader.cancel()
  })

  test('begins with a comment that clients ignore', async () => {
    const events = source()
    await using server = serve({ routes: [streaming(events.frames)] })
    const reader = reading(await server.get(PATH))
    expect(await reader.until('\n')).toBe(':\n')
    await reader.cancel()
  })

  test('sends a named heartbeat without an id every 15 s but none at the start', async () => {
    const events = source()
    await using server = serve({ routes: [streaming(events.frames)] })
    const reader = reading(await server.get(PATH))
    await server.clock.advance(14_999)
    events.push(frame(1))
    expect(await reader.until('1}\n\n')).not.toContain('heartbeat')
    await server.clock.advance(1)
    const beat = 'event: heartbeat\ndata: {"timestamp":"2026-01-05T09:00:15Z"}\n\n'
    expect(await reader.until('"}\n\n')).toEndWith(beat)
    await server.clock.advance(15_000)
    expect(await reader.until('30Z"}\n\n')).not.toMatch(/id: \d+\nevent: heartbeat/)
    await reader.cancel()
  })

  test('stops reading frames when the client disconnects and leaves no timer behind', async () => {
    const events = source()
    await using server = serve({ routes: [streaming(events.frames)] })
    const leave = new AbortController()
    const response = await server.ask(PATH, { signal: leave.signal })
    await reading(response).until('\n')
    leave.abort()
    await events.ended
    expect(server.deadlines.size).toBe(0)
    expect(server.errors).toEqual([])
  })

  test('ends when its frames end', async () => {
    await using server = serve({
      routes: [
        streaming(async function* () {
          yield frame(1)
          yield frame(2)
        }),
      ],
    })
    const text = await reading(await server.get(PATH)).rest()
    expect(text.match(/^id: \d$/gm)).toEqual(['id: 1', 'id: 2'])
    expect(server.deadlines.size).toBe(0)
  })

  test('ends cleanly if its frames throw, and the error is logged with the request id', async () => {
    await using server = serve({
      routes: [
        streaming(async function* () {
          yield frame(1)
          throw new TypeError('the disk is gone')
        }),
      ],
    })
    const response = await server.get(PATH)
    const text = await reading(response).rest()
    expect(text).toEndWith('"n":1}\n\n')
    expect(server.errors).toEqual([
      {
        error: new TypeError('the disk is gone'),
        id: response.headers.get('x-gc-request-id') ?? '',
        method: 'GET',
        path: PATH,
      },
    ])
  })

  test('ends when the server stops', async () => {
    const events = source()
    const server = serve({ routes: [streaming(events.frames)] })
    const reader = reading(await server.get(PATH))
    events.push(frame(1))
    await reader.until('1}\n\n')
    await server[Symbol.asyncDispose]()
    expect(await reader.rest()).toEndWith('1}\n\n')
    await events.ended
  })

  test('is rejected like any other request if it fails before it begins', async () => {
    await using server = serve({
      routes: [
        streaming(() => {
          throw new AppError('city-not-found', 'not_found: city not found or not running: c')
        }),
      ],
    })
    const response = await server.get(PATH)
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })

  test('does not start for HEAD', async () => {
    let begun = false
    await using server = serve({
      routes: [
        streaming(async function* () {
          begun = true
          yield frame(1)
        }),
      ],
    })
    const response = await server.ask(PATH, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type'), begun]).toEqual([200, 'text/event-stream', false])
  })

  test('waits for a slow client and drops one that does not read for 30 s', async () => {
    let sent = 0
    let over = false
    await using server = serve({
      routes: [
        streaming(async function* () {
          try {
            for (;;) yield { event: 'event', data: { type: 'note', n: sent++, text: 'x'.repeat(10_000) } }
          } finally {
            over = true
          }
        }),
      ],
    })
    const client = connect(server.port, '127.0.0.1')
    client.on('error', () => {})
    client.write(`GET ${PATH} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    client.pause()
    while (server.deadlines.size < 2) await new Promise((resolve) => setImmediate(resolve))
    const before = sent
    await server.clock.advance(29_000)
    expect([over, sent]).toEqual([false, before])
    await server.clock.advance(1_000)
    expect([over, server.deadlines.size]).toEqual([true, 0])
    client.destroy()
  })

  test('sends a long history in batches and yields to the event loop in between', async () => {
    let [taken, maxTaken, over] = [0, 0, false]
    const text = 'x'.repeat(10_000)
    await using server = serve({
      routes: [
        streaming(async function* () {
          for (let n = 0; n < 2000; n++) {
            taken++
            maxTaken = Math.max(maxTaken, taken)
            yield { event: 'event', data: { type: 'note', text } }
          }
        }),
      ],
    })
    const turn = () => {
      taken = 0
      if (!over) setImmediate(turn)
    }
    turn()
    const read = await reading(await server.get(PATH)).rest()
    over = true
    expect(read.match(/^event: event$/gm)).toHaveLength(2000)
    expect(maxTaken).toBeLessThan(20)
  })

  test('sends each of a thousand frames to each of fifty clients', async () => {
    const frames = Array.from({ length: 1000 }, (_, n) => frame(n))
    await using server = serve({
      routes: [
        streaming(async function* () {
          yield* frames
        }),
      ],
    })
    const texts = await Promise.all(Array.from({ length: 50 }, async () => reading(await server.get(PATH)).rest()))
    const ids = frames.map(({ id }) => `id: ${id}`)
    for (const text of texts) expect([...(text.match(/^id: \d+$/gm) ?? [])]).toEqual(ids)
  })
})
