import { describe, expect, test } from 'bun:test'
import { type FollowedEvent, Follower, type FollowLimits, type LogSource } from '../../../src/core/events/follow.ts'
import type { PullSource } from '../../../src/core/pull-source.ts'
import { command } from '../../../src/core/store/index.ts'
import { eventWorld } from './world.ts'

const label = (one: FollowedEvent): string =>
  one.gap ? `${one.name} gap ${one.gap.from}-${one.gap.to} ${one.gap.reason}` : `${one.name} ${one.event.seq}`

/** Reads a source whenever it signals that items are ready. */
class Reading<Shown> {
  rings = 0
  #rung = Promise.withResolvers<void>()

  constructor(private readonly tail: PullSource<Shown>) {
    tail.onReady(() => {
      this.rings++
      this.#rung.resolve()
      this.#rung = Promise.withResolvers()
    })
  }

  /** Takes this many items, followed by `end` if the source is done first. */
  async take(count: number): Promise<(Shown | 'end')[]> {
    const taken: (Shown | 'end')[] = []
    while (taken.length < count) {
      const rung = this.#rung.promise
      const one = this.tail.take()
      if (one !== undefined) taken.push(one)
      else if (this.tail.isDone) return [...taken, 'end']
      else await rung
    }
    return taken
  }

  close = () => this.tail.close()
}

const following = (sources: LogSource[], bounds?: FollowLimits) =>
  new Reading(new Follower({ now: () => sources }, label, bounds))

const numbered = (name: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => `${name} ${from + n}`)

describe('following one log', () => {
  test('ends with what is in it when it is closed, and not while others may take its place', async () => {
    await using world = eventWorld()
    await world.fill(3)
    const stream = following([{ name: 'a', log: world.log, after: 0 }])
    expect(await stream.take(3)).toEqual(numbered('a', 1, 3))
    const sources = { now: () => [{ name: 'a', log: world.log, after: 3 }], listen: () => () => {} }
    const changing = new Reading(new Follower(sources, label))
    const last = stream.take(2)
    await world.record()
    world.log.close()
    expect(await last).toEqual(['a 4', 'end'])
    expect(await changing.take(1)).toEqual(['a 4'])
    changing.close()
  })

  test('replays stored events in pages and then continues live without loss or duplicates', async () => {
    await using world = eventWorld()
    await world.fill(30)
    await world.reopen()
    const stream = following([{ name: 'a', log: world.log, after: 10 }], { page: 7 })
    const writing = (async () => {
      for (let n = 0; n < 30; n++) await world.record()
    })()
    expect(await stream.take(50)).toEqual(numbered('a', 11, 60))
    await writing
    const next = stream.take(1)
    await world.record()
    expect(await next).toEqual(['a 61'])
    stream.close()
    expect(await stream.take(1)).toEqual(['end'])
  })

  test('signals new events until it is closed and returns none afterwards', async () => {
    await using world = eventWorld()
    const stream = following([{ name: 'a', log: world.log, after: 0 }])
    await world.record()
    expect(stream.rings).toBe(1)
    stream.close()
    await world.record()
    expect(stream.rings).toBe(1)
    expect(await stream.take(1)).toEqual(['end'])
  })

  test('reports a gap for a start below the oldest row and continues', async () => {
    await using world = eventWorld()
    await world.fill(10)
    await world.reopen()
    await world.store.write((tx) => void tx.run(command('DELETE FROM events WHERE seq <= 6')))
    const stream = following([{ name: 'a', log: world.log, after: 2 }])
    expect(await stream.take(5)).toEqual(['a gap 2-6 removed', ...numbered('a', 7, 10)])
    stream.close()
  })

  test('reports a gap if no row after the start is left and continues live', async () => {
    await using world = eventWorld()
    await world.fill(10)
    await world.reopen()
    await world.store.write((tx) => void tx.run(command('DELETE FROM events')))
    const stream = following([{ name: 'a', log: world.log, after: 0 }])
    expect(await stream.take(1)).toEqual(['a gap 0-10 removed'])
    const next = stream.take(1)
    await world.record()
    expect(await next).toEqual(['a 11'])
    stream.close()
  })

  test('reports a gap for a start beyond the head and continues from the head', async () => {
    await using world = eventWorld()
    await world.fill(3)
    const stream = following([{ name: 'a', log: world.log, after: 99 }])
    expect(await stream.take(1)).toEqual(['a gap 99-3 ahead'])
    const next = stream.take(1)
    await world.record()
    expect(await next).toEqual(['a 4'])
    stream.close()
  })

  test('ends a live reader that falls behind, which can resume where it stopped', async () => {
    await using world = eventWorld()
    await world.record()
    const stream = following([{ name: 'a', log: world.log, after: 0 }], { lag: 10, page: 4 })
    expect(await stream.take(1)).toEqual(['a 1'])
    const next = stream.take(1)
    await world.record()
    expect(await next).toEqual(['a 2'])
    await world.fill(20)
    expect(await stream.take(30)).toEqual(['end'])
    const resumed = following([{ name: 'a', log: world.log, after: 2 }], { lag: 10, page: 4 })
    expect(await resumed.take(20)).toEqual(numbered('a', 3, 22))
    resumed.close()
  })

  test('shares each event between live readers', async () => {
    await using world = eventWorld()
    const sources = { now: () => [{ name: 'a', log: world.log, after: 0 }] }
    const streams = [1, 2].map(() => new Reading(new Follower(sources, ({ event: recorded }) => recorded ?? 'gap')))
    const reading = streams.map((stream) => stream.take(1))
    await world.record()
    const [one, two] = await Promise.all(reading)
    expect(one?.[0]).toMatchObject({ seq: 1 })
    expect(one?.[0]).toBe(two?.[0])
    for (const stream of streams) stream.close()
  })
})

describe('following several logs', () => {
  test('keeps each in order and replays all of them before going live', async () => {
    await using a = eventWorld()
    await using b = eventWorld()
    await a.fill(5)
    await b.fill(3)
    const sources = [
      { name: 'a', log: a.log, after: 2 },
      { name: 'b', log: b.log, after: 0 },
    ]
    const stream = following(sources, { page: 2 })
    const replayed = await stream.take(6)
    expect(replayed.filter((one) => one.startsWith('a'))).toEqual(numbered('a', 3, 5))
    expect(replayed.filter((one) => one.startsWith('b'))).toEqual(numbered('b', 1, 3))
    const live = stream.take(2)
    await b.record()
    await a.record()
    expect((await live).sort()).toEqual(['a 6', 'b 4'])
    stream.close()
  })

  test('follows a log that joins from its current head and repeats no event of the others', async () => {
    await using a = eventWorld()
    await using b = eventWorld()
    await a.fill(2)
    const at = new Map([['a', 0]])
    const logs = new Map([['a', a.log]])
    let changed = () => {}
    const sources = {
      now: () => [...logs].map(([name, log]) => ({ name, log, after: at.get(name) ?? log.head })),
      listen(notify: () => void) {
        changed = notify
        return () => {
          changed = () => {}
        }
      },
    }
    const seen = (followed: FollowedEvent): string => {
      at.set(followed.name, followed.event?.seq ?? followed.gap?.to ?? 0)
      return label(followed)
    }
    const stream = new Reading(new Follower(sources, seen))
    expect(await stream.take(1)).toEqual(['a 1'])
    await b.fill(4)
    logs.set('b', b.log)
    changed()
    expect(await stream.take(1)).toEqual(['a 2'])
    const live = stream.take(2)
    await b.record()
    await a.record()
    expect((await live).sort()).toEqual(['a 3', 'b 5'])
    logs.delete('b')
    changed()
    const { rings } = stream
    await b.record()
    expect(stream.rings).toBe(rings)
    stream.close()
  })
})
