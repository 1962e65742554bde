import { describe, expect, test } from 'bun:test'
import { Client } from '../../src/client/client.ts'
import { ApiError, Unreachable } from '../../src/client/errors.ts'
import { waitForEvent } from '../../src/client/events.ts'
import { follow, type OpenStream } from '../../src/client/follow.ts'
import { parseFrames, type ReceivedFrame } from '../../src/client/sse.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { TestClock } from '../support/clock.ts'

const encoder = new TextEncoder()
const bytes = (text: string) => new Response(text).body ?? new ReadableStream<Uint8Array>()

/** A response whose body the test writes. */
function live() {
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      feed = controller
    },
  })
  return {
    response: new Response(body),
    send: (text: string) => feed?.enqueue(encoder.encode(text)),
    end: () => feed?.close(),
    fail: () => feed?.error(new Error('connection reset')),
  }
}

const event = (id: number, data: object) => `id: ${id}\nevent: event\ndata: ${JSON.stringify(data)}\n\n`

describe('server-sent events', () => {
  test('are parsed from chunks cut anywhere, also within a character', async () => {
    const text = 'id: 1\nevent: event\ndata: {"title":"früh 日本"}\n\n: a comment\n\nevent: heartbeat\ndata: {}\n\n'
    const whole = encoder.encode(text)
    for (let size = 1; size < 12; size++) {
      const chunks = async function* () {
        for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size)
      }
      expect(await Array.fromAsync(parseFrames(chunks()))).toEqual([
        { id: '1', event: 'event', data: { title: 'früh 日本' } },
        { event: 'heartbeat', data: {} },
      ])
    }
  })

  test('may end lines with CR LF and have several lines of data', async () => {
    expect(await Array.fromAsync(parseFrames(bytes('data: one\r\ndata: two\r\n\r\n')))).toEqual([
      { event: 'message', data: 'one\ntwo' },
    ])
  })
})

describe('following a stream', () => {
  /** Follows streams that are opened one after the other; records what each was resumed after, and the state changes. */
  function followed(streams: (() => Response)[], after?: string) {
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    const resumedAfter: (string | undefined)[] = []
    const states: string[] = []
    const stop = new AbortController()
    const open: OpenStream = async (from) => {
      resumedAfter.push(from)
      const next = streams.shift()
      if (!next) throw new Unreachable('http://nowhere', 'connection refused')
      return next()
    }
    const onStateChange = (state: string) => void states.push(state)
    const events = follow(open, {
      signal: stop.signal,
      timers: deadlines,
      onStateChange,
      ...(after !== undefined && { after }),
    })
    return { clock, resumedAfter, states, stop, events }
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('resumes after the last id when the connection breaks, and drops heartbeats', async () => {
    const [first, second] = [live(), live()]
    const { clock, resumedAfter, states, stop, events } = followed([() => first.response, () => second.response], '4')
    first.send(event(5, { seq: 5 }))
    first.send('event: heartbeat\ndata: {}\n\n')
    expect((await events.next()).value).toEqual({ id: '5', event: 'event', data: { seq: 5 } })
    first.fail()
    const next = events.next()
    for (let n = 0; n < 5; n++) await clock.advance(100)
    second.send(event(6, { seq: 6 }))
    expect((await next).value).toMatchObject({ id: '6' })
    expect(resumedAfter).toEqual(['4', '5'])
    expect(states).toEqual(['connected', 'disconnected', 'connected'])
    stop.abort()
    expect((await events.next()).done).toBe(true)
  })

  test('waits longer after each failure, up to ten seconds', async () => {
    const { clock, resumedAfter, stop, events } = followed([])
    const next = events.next()
    const times: number[] = []
    for (let second = 0; second < 40; second++) {
      await clock.advance(1000)
      times.push(resumedAfter.length)
    }
    expect(times[0]).toBe(3)
    expect(times[39]).toBeLessThan(11)
    stop.abort()
    expect((await next).done).toBe(true)
  })

  test('reconnects when the server falls silent', async () => {
    const [first, second] = [live(), live()]
    const { clock, resumedAfter, stop, events } = followed([() => first.response, () => second.response])
    first.send(event(1, { seq: 1 }))
    await events.next()
    const next = events.next()
    await turn()
    for (let n = 0; n < 50; n++) await clock.advance(1000)
    second.send(event(2, { seq: 2 }))
    expect((await next).value).toMatchObject({ id: '2' })
    expect(resumedAfter).toEqual([undefined, '1'])
    stop.abort()
    await events.next()
  })

  test('retries a city that was there, since a restarted supervisor answers before its cities do', async () => {
    const [first, second] = [live(), live()]
    const starting = () => {
      throw new ApiError(404, 'city-not-found', 'it is starting')
    }
    const { clock, states, stop, events } = followed([() => first.response, starting, starting, () => second.response])
    first.send(event(1, { seq: 1 }))
    await events.next()
    first.fail()
    const next = events.next()
    for (let n = 0; n < 20; n++) await clock.advance(100)
    second.send(event(2, { seq: 2 }))
    expect((await next).value).toMatchObject({ id: '2' })
    expect(states.filter((state) => state === 'connected')).toHaveLength(2)
    stop.abort()
    await events.next()
  })

  test('throws the error when the server rejects the request', async () => {
    const { events } = followed([
      () => {
        throw new ApiError(404, 'city-not-found', 'there is no such city')
      },
    ])
    expect(events.next()).rejects.toThrow('there is no such city')
  })
})

describe('the outcome of an accepted request', () => {
  const framesOf = async function* (...data: object[]): AsyncGenerator<ReceivedFrame> {
    for (const each of data) yield { event: 'event', data: each }
  }

  test('is the event with its id', async () => {
    const events = framesOf(
      { type: 'bead.created', payload: { bead: {} } },
      { type: 'request.result.city.create', payload: { request_id: 'req-other' } },
      { type: 'request.result.city.create', payload: { request_id: 'req-1', name: 'town' } },
    )
    expect(await waitForEvent(events, 'req-1')).toEqual({
      type: 'request.result.city.create',
      payload: { request_id: 'req-1', name: 'town' },
    })
  })

  test('is not the progress of the request', async () => {
    const progress = { type: 'rig.provision.progress', payload: { request_id: 'req-1', step: 'clone' } }
    const failed = { type: 'request.failed', payload: { request_id: 'req-1', error_message: 'no such host' } }
    expect(waitForEvent(framesOf(progress, failed), 'req-1')).rejects.toThrow('no such host')
  })

  test('is an error with the reason when the request failed', async () => {
    const failed = { type: 'request.failed', payload: { request_id: 'req-1', error_message: 'no such folder' } }
    expect(waitForEvent(framesOf(failed), 'req-1')).rejects.toThrow('no such folder')
  })
})

test('a stream that cannot be reached is retried until the signal aborts', async () => {
  const clock = new TestClock()
  const stop = new AbortController()
  const client = new Client({ url: 'http://127.0.0.1:9', token: undefined })
  const events = client.follow(
    'GET /v0/events/stream',
    {},
    { signal: stop.signal, timers: new Deadlines(clock, clock) },
  )
  const next = events.next()
  stop.abort()
  expect((await next).done).toBe(true)
})
