import { describe, expect, test } from 'bun:test'
import { EventLog } from '../../../src/core/events/log.ts'
import { HORIZON, OF_NUMBERS, pagesOf } from '../../../src/core/events/row.ts'
import { command, query } from '../../../src/core/store/index.ts'
import { eventWorld, NoteWritten, note } from './world.ts'

const seqs = (events: { seq: number }[]): number[] => events.map(({ seq }) => seq)

describe('recording', () => {
  test('stores an event on disk before notifying listeners, which receive the stored row', async () => {
    await using world = eventWorld()
    const received: unknown[] = []
    world.log.subscribe((recorded) =>
      received.push({ ...recorded, head: world.log.head, rows: world.log.after(0, 10).length }),
    )
    const payload = { text: 'hello' }
    const facts = { actor: 'ann', subject: 'mp-1', message: 'said hello', run_id: 'r1', depends_on_step_ids: [] }
    const writing = world.store.write((tx) => world.log.append(tx, NoteWritten, facts, payload))
    payload.text = 'changed later'
    expect(world.log.head).toBe(0)
    expect(await writing).toBe(1)
    const expected = {
      seq: 1,
      type: 'note.written',
      ts: '2026-01-05T09:00:00.000Z',
      ...facts,
      payload: { text: 'changed later' },
    }
    expect(world.log.after(0, 10)).toEqual([expected])
    expect(received).toEqual([{ ...expected, head: 1, rows: 1 }])
    await world.reopen()
    expect(world.log.head).toBe(1)
    expect(world.log.after(0, 10)).toEqual([expected])
  })

  test('captures the payload when it is appended', async () => {
    await using world = eventWorld()
    const payload = { text: 'as it was' }
    await world.store.write((tx) => {
      world.log.append(tx, NoteWritten, { actor: 'ann' }, payload)
      payload.text = 'as it became'
    })
    expect(world.log.after(0, 1)[0]?.payload).toEqual({ text: 'as it was' })
  })

  test('leaves no gap in the numbers across rollbacks, restarts and the deletion of every row', async () => {
    await using world = eventWorld()
    expect(await world.record()).toBe(1)
    const undone = world.store.write((tx) => {
      world.log.append(tx, note('note.lost'), { actor: 'ann' }, {})
      throw new Error('no')
    })
    const [failed, second] = await Promise.allSettled([undone, world.record()])
    expect(failed?.status).toBe('rejected')
    expect(second).toEqual({ status: 'fulfilled', value: 2 })
    await world.store.write((tx) => void tx.run(command('DELETE FROM events')))
    await world.reopen()
    expect([world.log.head, world.log.oldest]).toEqual([2, 3])
    expect(await world.record()).toBe(3)
    expect(world.log.after(0, 10).map(({ type }) => type)).toEqual(['note.written'])
  })

  test('reports a listener that throws and still notifies the others', async () => {
    const errors: unknown[] = []
    await using world = eventWorld({ onError: (error) => errors.push(error) })
    const boom = new Error('boom')
    const received: number[] = []
    world.log.subscribe(() => {
      throw boom
    })
    const stop = world.log.subscribe(({ seq }) => received.push(seq))
    await world.record()
    stop()
    await world.record()
    expect(received).toEqual([1])
    expect(errors).toEqual([boom, boom])
  })
})

describe('pages', () => {
  test('are newest first and have the position of the next page', async () => {
    await using world = eventWorld()
    await world.fill(5)
    const first = world.log.page({ limit: 2 })
    expect(seqs(first.items)).toEqual([5, 4])
    expect(first).toMatchObject({ total: 5, next: 4 })
    const second = world.log.page({ limit: 3, before: 4 })
    expect(seqs(second.items)).toEqual([3, 2, 1])
    expect(second.next).toBeUndefined()
    expect(world.log.page({ limit: 2, before: 1 })).toEqual({ items: [], total: 5 })
  })

  test('filter by type, actor and age, and a filtered total counts only the page', async () => {
    await using world = eventWorld()
    await world.record('note.written', 'ann')
    await world.record('note.read', 'bob')
    await world.clock.advance(60_000)
    await world.record('note.written', 'bob')
    await world.record('note.read', 'ann')
    const page = (filter: object) => seqs(world.log.page({ limit: 10, ...filter }).items)
    expect(page({ type: 'note.written' })).toEqual([3, 1])
    expect(page({ actor: 'bob' })).toEqual([3, 2])
    expect(page({ type: 'note.read', actor: 'ann' })).toEqual([4])
    expect(page({ type: 'note.read', actor: 'carl' })).toEqual([])
    expect(page({ since: world.clock.now() - 30_000 })).toEqual([4, 3])
    expect(page({ since: world.clock.now() + 1 })).toEqual([])
    expect(page({ since: world.clock.now() - 30_000, type: 'note.written' })).toEqual([3])
    expect(world.log.page({ type: 'note.written', limit: 10 }).total).toBe(2)
    expect(world.log.latest('note.written')?.seq).toBe(3)
    expect(world.log.latest('note.written', 3)?.seq).toBe(1)
    expect(world.log.latest('note.lost')).toBeUndefined()
  })

  test('omit events that are not on disk yet', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const syncStarted = Promise.withResolvers<void>()
    await using world = eventWorld({
      sync: () => {
        syncStarted.resolve()
        return gate
      },
    })
    const writing = world.record()
    await syncStarted.promise
    expect(world.log.page({ limit: 10 })).toEqual({ items: [], total: 0 })
    expect(world.log.after(0, 10)).toEqual([])
    open()
    await writing
    expect(world.log.page({ limit: 10 }).total).toBe(1)
  })

  test('of long events are short, and paging still reaches every event', async () => {
    await using world = eventWorld()
    for (let n = 0; n < 12; n++) await world.record('note.written', 'ann', { text: '語'.repeat(50_000) })
    await world.reopen()
    const visited: number[] = []
    let before: number | undefined
    do {
      const page = world.log.page({ limit: 10, ...(before !== undefined && { before }) })
      expect(page.items.length).toBeLessThan(10)
      visited.push(...seqs(page.items))
      before = page.next
    } while (before !== undefined)
    expect(visited).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(world.log.after(0, 100).length).toBeLessThan(12)
  })

  test('filtered by type and actor scan a limited range, and paging still reaches every match', async () => {
    await using world = eventWorld()
    for (let n = 1; n <= 40; n++) await world.record(n % 13 === 0 ? 'note.read' : 'note.written', n % 2 ? 'ann' : 'bob')
    const log = new EventLog(world.store, world.clock, world.deadlines, { scan: 4 })
    const visited: number[] = []
    let pages = 0
    let before: number | undefined
    do {
      const page = log.page({ type: 'note.read', actor: 'ann', limit: 10, ...(before !== undefined && { before }) })
      visited.push(...seqs(page.items))
      before = page.next
      pages++
    } while (before !== undefined && pages < 20)
    expect(visited).toEqual([39, 13])
    expect(pages).toBe(5)
    expect(log.latest('note.read')?.seq).toBe(39)
  })

  test('filtered by type and actor are the same whether they are among the near ones of the actor or far behind', async () => {
    await using world = eventWorld()
    for (let n = 1; n <= 60; n++) {
      const isMatch = n <= 3 || (n > 20 && n % 3 === 0)
      await world.record(isMatch ? 'note.read' : 'note.written', n % 2 ? 'ann' : 'bob')
    }
    const matches = seqs(world.log.page({ actor: 'ann', limit: 100 }).items.filter(({ type }) => type === 'note.read'))
    for (const limit of [1, 2, 3]) {
      const visited: number[] = []
      for (let before: number | undefined = 61; before !== undefined; ) {
        const page = world.log.page({ type: 'note.read', actor: 'ann', limit, before })
        visited.push(...seqs(page.items))
        expect(page.total).toBe(page.items.length)
        expect(page.items).toHaveLength(Math.min(limit, matches.filter((seq) => seq < (before ?? 0)).length))
        before = page.next
      }
      expect(visited).toEqual(matches)
    }
  })

  test('as JSON have the same events, whether these were listed lately, are too long to keep, or are gone', async () => {
    await using world = eventWorld()
    for (let n = 1; n <= 30; n++) {
      const text = (n % 10 === 0 ? 'x' : 'é').repeat(n % 10 === 0 ? 600_000 : 9_000)
      await world.record(n % 3 ? 'note.read' : 'note.written', n % 2 ? 'ann' : 'bob', { text })
    }
    const filters = [{}, { type: 'note.read' }, { actor: 'bob' }, { type: 'note.read', actor: 'ann' }]
    for (const round of ['first', 'again', 'after deletions']) {
      for (const filter of filters) {
        for (let before: number | undefined = 31; before !== undefined; ) {
          const query = { ...filter, before, limit: 7 }
          const { items, ...page } = world.log.page(query)
          const { items: texts, ...same } = world.log.texts(query)
          const listed = texts.map((text) => JSON.parse(text))
          expect({ round, ...same, listed }).toEqual({ round, ...page, listed: items.map((each) => ({ ...each })) })
          before = page.next
        }
      }
      if (round === 'again')
        await world.store.write((tx) => void tx.run(command('DELETE FROM events WHERE seq % 4 = 0')))
    }
  })

  test('about one subject list its events back to the first', async () => {
    await using world = eventWorld()
    const recordAbout = (subject?: string) =>
      world.store.write((tx) =>
        world.log.append(tx, note('note.written'), { actor: 'ann', ...(subject !== undefined && { subject }) }, {}),
      )
    for (const subject of ['a', 'b', undefined, 'a', 'a']) await recordAbout(subject)
    const first = world.log.about('a', { limit: 2 })
    expect([seqs(first.items), first.total, first.next]).toEqual([[5, 4], 2, 4])
    const rest = world.log.about('a', { limit: 2, before: 4 })
    expect([seqs(rest.items), rest.next]).toEqual([[1], undefined])
    expect(world.log.about('nobody', { limit: 2 })).toEqual({ items: [], total: 0 })
  })

  test('are read through an index for every filter', async () => {
    await using world = eventWorld()
    const planOf = (sql: string) =>
      world.store.all(query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)).map(({ detail }) => detail)
    const numbers = Object.values(pagesOf('seq')).map(planOf)
    expect([...Object.values(pagesOf('*')), HORIZON].map(planOf)).toEqual([
      ['SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
      ['SEARCH events USING INDEX events_type (type=? AND seq>? AND seq<?)'],
      ['SEARCH events USING INDEX events_actor (actor=? AND seq>? AND seq<?)'],
      ['SEARCH events USING INDEX events_actor (actor=? AND seq>? AND seq<?)'],
      ['SEARCH events USING INDEX events_subject (subject=? AND seq>? AND seq<?)'],
      ['SEARCH events USING COVERING INDEX events_actor (actor=? AND seq>? AND seq<?)'],
    ])
    expect(numbers.map(([step = '']) => step.replace(/ \(.*/, ''))).toEqual([
      'SEARCH events USING INTEGER PRIMARY KEY',
      'SEARCH events USING COVERING INDEX events_type',
      'SEARCH events USING COVERING INDEX events_actor',
      'SEARCH events USING COVERING INDEX events_actor',
      'SEARCH events USING COVERING INDEX events_subject',
    ])
    expect(planOf(OF_NUMBERS)).toEqual([
      'SCAN j VIRTUAL TABLE INDEX 1:',
      'SEARCH e USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })
})

describe('waiting', () => {
  test('ends immediately if there is already a newer event', async () => {
    await using world = eventWorld()
    await world.record()
    expect(await world.log.waitForEventAfter(0, 1000)).toBe(true)
    expect(world.deadlines.size).toBe(0)
  })

  test('ends with the next event, the timeout or the signal, and leaves no timer behind', async () => {
    await using world = eventWorld()
    const next = world.log.waitForEventAfter(0, 60_000)
    await world.record()
    expect(await next).toBe(true)
    const late = world.log.waitForEventAfter(1, 60_000)
    await world.clock.advance(60_000)
    expect(await late).toBe(false)
    const gone = new AbortController()
    const left = world.log.waitForEventAfter(1, 60_000, gone.signal)
    gone.abort()
    expect(await left).toBe(false)
    expect(world.deadlines.size).toBe(0)
  })
})
