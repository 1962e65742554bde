import { describe, expect, spyOn, test } from 'bun:test'
import type { RecordedEvent } from '../../../src/core/events/event.ts'
import { command, query } from '../../../src/core/store/index.ts'
import type { Tx } from '../../../src/core/store/store.ts'
import { until } from '../../support/until.ts'
import { eventWorld, note } from './world.ts'

type World = ReturnType<typeof eventWorld>

/** Registers a consumer that stores the number of each event it handles. */
function noting(
  world: World,
  name: string,
  types: readonly string[],
  also?: (tx: Tx, recorded: RecordedEvent) => void,
) {
  const insert = command<[number, string]>('INSERT INTO done (seq, consumer) VALUES (?, ?)')
  world.reactions.on(name, types, (tx, recorded) => {
    tx.run(insert, recorded.seq, name)
    also?.(tx, recorded)
  })
}

const done = (world: World, name: string): number[] =>
  world.store
    .all(query<{ seq: number }, [string]>('SELECT seq FROM done WHERE consumer = ? ORDER BY rowid'), name)
    .map(({ seq }) => seq)

const cursor = (world: World, name: string): number | undefined =>
  world.store.get(query<{ seq: number }, [string]>('SELECT seq FROM cursors WHERE consumer = ?'), name)?.seq

describe('a consumer', () => {
  test('receives each event of its types once, in order, whether recorded before or after the start', async () => {
    await using world = eventWorld()
    await world.record()
    await world.record('note.read')
    noting(world, 'notes', ['note.written'])
    noting(world, 'all', ['note.written', 'note.read'])
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([1])
    await Promise.all([world.record(), world.record('note.read'), world.record()])
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([1, 3, 5])
    expect(done(world, 'all')).toEqual([1, 2, 3, 4, 5])
    expect(world.reports).toEqual([])
  })

  test('resumes after a restart without repeating or skipping an event', async () => {
    await using world = eventWorld()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.record()
    await world.reactions.whenIdle()
    await world.reactions.stop()
    await world.record()
    await world.reopen()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.record()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([1, 2, 3])
  })

  test('that is far behind receives each event of its types once, however many others lie between', async () => {
    await using world = eventWorld()
    await world.fill(300)
    await world.fill(600, 'note.read')
    await world.record()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([...Array.from({ length: 300 }, (_, at) => at + 1), 901])
  })

  test('with slow reactions receives each event once', async () => {
    await using world = eventWorld()
    await world.fill(5)
    noting(world, 'slow', ['note.written'], () => {
      for (const end = performance.now() + 5; performance.now() < end; );
    })
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(done(world, 'slow')).toEqual([1, 2, 3, 4, 5])
  })

  test('with quick reactions makes one write of many', async () => {
    let syncs = 0
    await using world = eventWorld({ sync: async () => void syncs++ })
    await world.fill(5)
    noting(world, 'quick', ['note.written'])
    using clock = spyOn(performance, 'now')
    clock.mockReturnValue(1_000)
    const before = syncs
    world.reactions.start()
    await world.reactions.whenIdle()
    expect([done(world, 'quick'), syncs - before]).toEqual([[1, 2, 3, 4, 5], 1])
  })

  test('that is idle is asked once about an event that it does not want, and writes nothing for it', async () => {
    await using world = eventWorld()
    const asked: number[] = []
    const received: number[] = []
    const wants = ({ seq, type }: RecordedEvent) => {
      asked.push(seq)
      return type === 'note.written'
    }
    world.reactions.on('notes', wants, (_tx, { seq }) => void received.push(seq))
    await world.record('note.read')
    world.reactions.start()
    await world.reactions.whenIdle()
    await world.record('note.read')
    expect(world.reactions.isIdle).toBe(true)
    expect([asked, cursor(world, 'notes')]).toEqual([[1, 2], undefined])
    await world.record()
    await world.reactions.whenIdle()
    expect([received, cursor(world, 'notes')]).toEqual([[3], 3])
  })

  test('receives no event that a caller emitted', async () => {
    await using world = eventWorld()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    const emit = () => world.store.write((tx) => world.log.emit(tx, 'note.written', { actor: 'bob' }, {}))
    await emit()
    await world.record()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([2])
    await emit()
    await world.reopen()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([2])
    expect(world.log.after(0, 10).map(({ actor }) => actor)).toEqual(['bob', 'ann', 'bob'])
  })

  test('receives events recorded by other reactions', async () => {
    await using world = eventWorld()
    noting(world, 'first', ['note.written'], (tx) => world.log.append(tx, note('note.read'), { actor: 'first' }, {}))
    noting(world, 'second', ['note.read'])
    world.reactions.start()
    for (let n = 0; n < 20; n++) await world.record()
    await world.reactions.whenIdle()
    expect(done(world, 'first')).toHaveLength(20)
    expect(done(world, 'second')).toHaveLength(20)
    expect(world.log.page({ limit: 100, actor: 'first' }).items).toHaveLength(20)
  })

  test('may select types with a predicate whose result changes while it runs', async () => {
    await using world = eventWorld()
    const types = new Set(['note.read'])
    const received: string[] = []
    world.reactions.on(
      'triggers',
      ({ type }) => types.has(type),
      (_tx, { type }) => void received.push(type),
    )
    world.reactions.start()
    await world.record('note.written')
    await world.record('note.read')
    await world.reactions.whenIdle()
    types.add('note.written')
    await world.record('note.written')
    await world.reactions.whenIdle()
    expect(received).toEqual(['note.read', 'note.written'])
  })

  test('may select events by what they say, and those it leaves out cost it no write', async () => {
    let syncs = 0
    await using world = eventWorld({ sync: async () => void syncs++ })
    const received: number[] = []
    world.reactions.on(
      'loud',
      ({ payload }) => Object(payload).text === 'loud',
      (_tx, { seq }) => void received.push(seq),
    )
    world.reactions.start()
    await world.reactions.whenIdle()
    const before = syncs
    await world.record('note.written', 'ann', { text: 'quiet' })
    await world.reactions.whenIdle()
    expect([received, syncs - before]).toEqual([[], 1])
    await world.record('note.written', 'ann', { text: 'loud' })
    await world.reactions.whenIdle()
    expect([received, syncs - before]).toEqual([[2], 3])
  })

  test('cannot reuse the name of another', async () => {
    await using world = eventWorld()
    noting(world, 'notes', [])
    expect(() => noting(world, 'notes', [])).toThrow('two reactions are named notes')
  })
})

describe('cursors', () => {
  test('cost no write for events that no consumer handles', async () => {
    let syncs = 0
    await using world = eventWorld({ sync: async () => void syncs++ })
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.record()
    await world.reactions.whenIdle()
    const before = syncs
    for (let n = 0; n < 5; n++) await world.record('note.read')
    await world.reactions.whenIdle()
    expect(syncs).toBe(before + 5)
    expect(cursor(world, 'notes')).toBe(1)
    await world.reactions.stop()
    expect(cursor(world, 'notes')).toBe(6)
  })

  test('are saved periodically so that none falls far behind', async () => {
    await using world = eventWorld()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.fill(2500, 'note.read')
    await world.reactions.whenIdle()
    expect(cursor(world, 'notes')).toBeGreaterThanOrEqual(1500)
  })

  test('reach the head if all events before it were removed', async () => {
    await using world = eventWorld()
    await world.fill(3)
    await world.store.write((tx) => void tx.run(command('DELETE FROM events')))
    await world.reopen()
    noting(world, 'notes', ['note.written'])
    expect([world.log.head, world.reactions.isIdle]).toEqual([3, false])
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(world.reactions.isIdle).toBe(true)
    await world.record()
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([4])
  })

  test('behind the oldest event are reported as missed events', async () => {
    await using world = eventWorld()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.record()
    await world.reactions.whenIdle()
    await world.reactions.stop()
    await world.fill(9)
    await world.store.write((tx) => void tx.run(command('DELETE FROM events WHERE seq <= 5')))
    await world.reopen()
    noting(world, 'notes', ['note.written'])
    world.reactions.start()
    await world.reactions.whenIdle()
    expect(world.reports).toEqual(['notes missed events 2 to 5: they were removed before it ran'])
    expect(done(world, 'notes')).toEqual([1, 6, 7, 8, 9, 10])
  })
})

describe('a failing reaction', () => {
  test('is tried five times with growing delays, then set aside, and the rest of its batch is processed', async () => {
    await using world = eventWorld()
    let tries = 0
    await world.fill(6)
    noting(world, 'notes', ['note.written'], (_tx, { seq }) => {
      if (seq !== 4) return
      tries++
      throw new Error('cannot read it')
    })
    world.reactions.start()
    const settled = world.reactions.whenIdle()
    await until(() => world.reports.length === 1)
    expect(done(world, 'notes')).toEqual([1, 2, 3])
    for (let wait = 200, reports = 1; reports < 5; wait *= 2, reports++) {
      await until(() => world.clock.armed === 1)
      await world.clock.advance(wait - 1)
      expect(world.reports).toHaveLength(reports)
      await world.clock.advance(1)
      await until(() => world.reports.length > reports)
    }
    await settled
    expect(tries).toBe(5)
    expect(done(world, 'notes')).toEqual([1, 2, 3, 5, 6])
    expect(world.reports).toEqual([
      ...[1, 2, 3, 4].map((n) => `notes failed at event 4 (note.written), ${n} of 5 tries: cannot read it`),
      'notes set event 4 (note.written) aside: cannot read it',
    ])
    expect(cursor(world, 'notes')).toBe(6)
  })

  test('takes effect once if a later try succeeds', async () => {
    await using world = eventWorld()
    let left = 2
    noting(world, 'notes', ['note.written'], () => {
      if (left-- > 0) throw new Error('not yet')
    })
    world.reactions.start()
    await world.record()
    await until(() => world.clock.armed === 1)
    await world.clock.advance(200)
    await until(() => world.reports.length === 2 && world.clock.armed === 1)
    await world.clock.advance(400)
    await world.reactions.whenIdle()
    expect([done(world, 'notes'), world.reactions.isIdle]).toEqual([[1], true])
  })

  test('blocks no other consumer, and stop does not wait for its next try', async () => {
    await using world = eventWorld()
    noting(world, 'bad', ['note.written'], () => {
      throw new Error('no')
    })
    noting(world, 'good', ['note.written'])
    world.reactions.start()
    await world.record()
    await until(() => world.reports.length === 1 && done(world, 'good').length === 1)
    await world.reactions.stop()
    expect(done(world, 'bad')).toEqual([])
    expect(cursor(world, 'bad')).toBeUndefined()
  })

  test('is reported if it returned a promise', async () => {
    await using world = eventWorld()
    const slow: () => undefined = () => Object(Promise.resolve())
    world.reactions.on('slow', ['note.written'], slow)
    world.reactions.start()
    await world.record()
    await until(() => world.reports.length === 1)
    expect(world.reports[0]).toContain('a reaction is synchronous: it returned a promise')
  })
})

describe('a full store', () => {
  test('makes a consumer wait, is reported once and never causes an event to be set aside', async () => {
    await using world = eventWorld()
    await world.fill(1)
    let full = true
    const plain = command<[number, string]>('INSERT INTO done (seq, consumer) VALUES (?, ?)')
    world.reactions.on('notes', ['note.written'], (tx, { seq }) => {
      if (full) tx.run(command("INSERT INTO done VALUES (0, printf('%.*c', 5000000, 'x'))"))
      tx.run(plain, seq, 'notes')
    })
    world.store.get(query<unknown>('PRAGMA max_page_count = 60'))
    world.reactions.start()
    for (let n = 0; n < 8; n++) {
      await until(() => world.clock.armed === 1)
      await world.clock.advance(5000)
    }
    expect(world.reports).toEqual([expect.stringContaining('notes waits for the store')])
    full = false
    await until(() => world.clock.armed === 1)
    await world.clock.advance(5000)
    await world.reactions.whenIdle()
    expect(done(world, 'notes')).toEqual([1])
    full = true
    await world.record()
    await until(() => world.reports.length === 2)
    expect(world.reports[1]).toBe(world.reports[0])
  })
})
