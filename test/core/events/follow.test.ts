import { describe, expect, test } from 'bun:test'
import { type Followed, follow } from '../../../src/core/events/follow.ts'
import { eventWorld } from './world.ts'

const label = (one: Followed): string =>
  one.gap ? `${one.name} gap ${one.gap.from}-${one.gap.to} ${one.gap.reason}` : `${one.name} ${one.recorded.seq}`

/** Reads so many from a stream. */
async function take(stream: AsyncGenerator<string>, count: number): Promise<string[]> {
  const labels: string[] = []
  while (labels.length < count) {
    const { value, done } = await stream.next()
    if (done || !value) return [...labels, 'end']
    labels.push(value)
  }
  return labels
}

const numbered = (name: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => `${name} ${from + n}`)

describe('following one log', () => {
  test('replays in pages what is kept, then goes on live, with nothing lost or doubled in between', async () => {
    await using world = eventWorld()
    await world.fill(30)
    await world.reopen()
    const end = new AbortController()
    const stream = follow([{ name: 'a', log: world.log, after: 10 }], label, end.signal, { page: 7 })
    const writing = (async () => {
      for (let n = 0; n < 30; n++) await world.record()
    })()
    expect(await take(stream, 50)).toEqual(numbered('a', 11, 60))
    await writing
    const next = take(stream, 1)
    await world.record()
    expect(await next).toEqual(['a 61'])
    end.abort()
    expect(await take(stream, 1)).toEqual(['end'])
  })

  test('a waiting stream ends with its signal and stops listening', async () => {
    await using world = eventWorld()
    const end = new AbortController()
    const stream = follow([{ name: 'a', log: world.log, after: 0 }], label, end.signal)
    const next = take(stream, 1)
    end.abort()
    expect(await next).toEqual(['end'])
    const left = follow([{ name: 'a', log: world.log, after: 0 }], label, new AbortController().signal)
    await world.record()
    expect(await take(left, 1)).toEqual(['a 1'])
    await left.return()
    expect(await take(left, 1)).toEqual(['end'])
  })

  test('a point below the oldest row gets a gap and goes on', async () => {
    await using world = eventWorld()
    await world.fill(10)
    await world.reopen()
    await world.store.write(() => void world.store.prepare('DELETE FROM events WHERE seq <= 6').run())
    const stream = follow([{ name: 'a', log: world.log, after: 2 }], label, new AbortController().signal)
    expect(await take(stream, 5)).toEqual(['a gap 2-6 removed', ...numbered('a', 7, 10)])
    await stream.return()
  })

  test('a point before rows of which none is left gets a gap and goes on live', async () => {
    await using world = eventWorld()
    await world.fill(10)
    await world.reopen()
    await world.store.write(() => void world.store.prepare('DELETE FROM events').run())
    const stream = follow([{ name: 'a', log: world.log, after: 0 }], label, new AbortController().signal)
    expect(await take(stream, 1)).toEqual(['a gap 0-10 removed'])
    const next = take(stream, 1)
    await world.record()
    expect(await next).toEqual(['a 11'])
    await stream.return()
  })

  test('a point beyond the head gets a gap and goes on from the head', async () => {
    await using world = eventWorld()
    await world.fill(3)
    const stream = follow([{ name: 'a', log: world.log, after: 99 }], label, new AbortController().signal)
    expect(await take(stream, 1)).toEqual(['a gap 99-3 ahead'])
    const next = take(stream, 1)
    await world.record()
    expect(await next).toEqual(['a 4'])
    await stream.return()
  })

  test('a reader that was up to date and lags is ended, and resumes where it was', async () => {
    await using world = eventWorld()
    await world.record()
    const signal = new AbortController().signal
    const stream = follow([{ name: 'a', log: world.log, after: 0 }], label, signal, { lag: 10, page: 4 })
    expect(await take(stream, 1)).toEqual(['a 1'])
    const next = take(stream, 1)
    await world.record()
    expect(await next).toEqual(['a 2'])
    await world.fill(20)
    expect(await take(stream, 30)).toEqual(['end'])
    const resumed = follow([{ name: 'a', log: world.log, after: 2 }], label, signal, { lag: 10, page: 4 })
    expect(await take(resumed, 20)).toEqual(numbered('a', 3, 22))
    await resumed.return()
  })

  test('live readers share each event', async () => {
    await using world = eventWorld()
    const signal = new AbortController().signal
    const streams = [1, 2].map(() =>
      follow([{ name: 'a', log: world.log, after: 0 }], ({ recorded }) => recorded, signal),
    )
    const reading = streams.map((stream) => stream.next())
    await world.record()
    const [one, two] = await Promise.all(reading)
    if (!one?.value || !two?.value) throw new Error('expected events')
    expect(one.value).toBe(two.value)
    for (const stream of streams) await stream.return()
  })
})

describe('following several logs', () => {
  test('each is in order, and all are replayed before the wait', async () => {
    await using a = eventWorld()
    await using b = eventWorld()
    await a.fill(5)
    await b.fill(3)
    const sources = [
      { name: 'a', log: a.log, after: 2 },
      { name: 'b', log: b.log, after: 0 },
    ]
    const stream = follow(sources, label, new AbortController().signal, { page: 2 })
    const met = await take(stream, 6)
    expect(met.filter((one) => one.startsWith('a'))).toEqual(numbered('a', 3, 5))
    expect(met.filter((one) => one.startsWith('b'))).toEqual(numbered('b', 1, 3))
    const live = take(stream, 2)
    await b.record()
    await a.record()
    expect((await live).sort()).toEqual(['a 6', 'b 4'])
    await stream.return()
  })
})
