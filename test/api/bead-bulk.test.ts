import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ path }) => path.endsWith('/beads/bulk'))
const openTown = towns(coverage)
const OPERATION = 'POST ~/beads/bulk'

const eventsOf = async (city: TestCity, work: () => Promise<unknown>): Promise<string[]> => {
  const seq = await city.head()
  await work()
  return (await city.recorded(seq)).map(({ type, subject }) => `${type} ${subject}`)
}

const create = (city: TestCity, beads: object[], more: object = {}) =>
  city.call(OPERATION, { body: { beads }, ...more })

/** The error of a rejected request, with its location. */
async function rejection(city: TestCity, operation: string, options: object): Promise<[string, unknown]> {
  const before = await city.head()
  const { status, body } = await city.call(operation, options)
  expect(await city.recorded(before)).toEqual([])
  return [
    `${status} ${body.code}: ${body.detail}`,
    (body.errors ?? []).map((one: { location?: string }) => one.location),
  ]
}

describe('creating many beads at the same time', () => {
  test('creates each bead after those it needs, and responds in the order of the request', async () => {
    await using town = await openTown()
    const { city } = town
    const old = await bead(city, 'old')
    const entries = [
      { name: 'ship', title: 'Ship', needs: ['test', 'review', `tracks:${old}`], parent: 'release' },
      { name: 'test', title: 'Test', needs: ['build'], parent: 'release', labels: ['ci'], priority: 1 },
      { title: 'Unnamed', needs: [old] },
      { name: 'build', title: 'Build', parent: 'release', metadata: { a: 'b' }, description: 'make' },
      { name: 'release', title: 'Release', type: 'epic', parent: old },
      { name: 'review', title: 'Review', needs: ['waits-for:build'] },
    ]
    const seq = await city.head()
    const { status, body } = await create(city, entries)
    expect(status).toBe(201)
    const { names, beads } = body
    expect(beads.map(({ title }: { title: string }) => title)).toEqual(entries.map(({ title }) => title))
    expect(Object.keys(names).sort()).toEqual(['build', 'release', 'review', 'ship', 'test'])
    const [ship, testing, unnamed, build, release] = beads
    expect([ship.id, testing.id, build.id, release.id]).toEqual([names.ship, names.test, names.build, names.release])
    expect(ship).toMatchObject({ parent: names.release, is_blocked: true })
    expect(new Set(ship.dependencies.map((edge: object) => JSON.stringify(edge)))).toEqual(
      new Set(
        [
          { issue_id: ship.id, depends_on_id: names.test, type: 'blocks' },
          { issue_id: ship.id, depends_on_id: names.review, type: 'blocks' },
          { issue_id: ship.id, depends_on_id: old, type: 'tracks' },
        ].map((edge) => JSON.stringify(edge)),
      ),
    )
    expect(testing).toMatchObject({ labels: ['ci'], priority: 1 })
    expect(build).toMatchObject({ metadata: { a: 'b' }, description: 'make' })
    expect(release).toMatchObject({ issue_type: 'epic', parent: old })
    const recorded = await city.recorded(seq)
    expect(recorded.map(({ type }) => type)).toEqual(entries.map(() => 'bead.created'))
    for (const one of beads) {
      const event = recorded.find(({ subject }) => subject === one.id)
      expect(event?.payload).toEqual({ bead: one })
      expect((await city.call(`GET ~/bead/${one.id}`)).body).toEqual(one)
    }
    const ready = (await city.call('GET ~/beads/ready')).body.items.map(({ id }: { id: string }) => id)
    expect(ready.sort()).toEqual([old, names.build, names.release].sort())
    expect(unnamed.is_blocked).toBe(true)
  })

  test('creates them once when the request is repeated', async () => {
    await using town = await openTown()
    const { city } = town
    const headers = { 'Idempotency-Key': 'k' }
    const entries = [
      { title: 'a', name: 'a' },
      { title: 'b', needs: ['a'] },
    ]
    const first = await create(city, entries, { headers })
    expect(await eventsOf(city, () => create(city, entries, { headers }))).toEqual([])
    expect((await create(city, entries, { headers })).body).toEqual(first.body)
    const other = { headers, body: { beads: [{ title: 'c' }] } }
    expect(await errorOf(city, OPERATION, other)).toStartWith('422 idempotency-mismatch: ')
    expect((await city.call('GET ~/beads')).body.total).toBe(2)
  })

  test('creates none when one of them is invalid, and the error says which', async () => {
    await using town = await openTown()
    const { city } = town
    const good = { title: 'good', name: 'good' }
    const cases: [object, string, string[]][] = [
      [{ title: 'x', parent: 'to-9' }, '400 invalid-request: beads[1]: parent to-9 does not exist', ['body.beads[1]']],
      [
        { title: 'x', needs: ['to-9'] },
        '400 invalid-request: beads[1]: it needs to-9: there is no such',
        ['body.beads[1]'],
      ],
      [{ title: 'x', rig: 'moon' }, '400 invalid-request: beads[1]: rig moon does not exist', ['body.beads[1]']],
      [{ title: 'x', assignee: 'nobody' }, '400 invalid-request: beads[1]: "nobody" is not an open', ['body.beads[1]']],
      [{ title: 'x'.repeat(1025) }, '422 validation-failed: beads[1]: title is too long', ['body.beads[1].title']],
      [{ title: '' }, '422 validation-failed: ', ['body.beads[1].title']],
      [{ title: 'x', name: 'good' }, '422 validation-failed: good is the name of two', ['body.beads[1].name']],
      [{ title: 'x', name: '-' }, '422 validation-failed: ', ['body.beads[1].name']],
      [
        { title: 'x', name: 'me', needs: ['me'] },
        '400 invalid-request: beads[1]: entries would wait',
        ['body.beads[1]'],
      ],
      [{ title: 'x', status: 'closed' }, '422 validation-failed: ', ['body.beads[1].status']],
    ]
    for (const [entry, sentence, places] of cases) {
      const [error, at] = await rejection(city, OPERATION, { body: { beads: [good, entry] } })
      expect([entry, error.slice(0, sentence.length), at]).toEqual([entry, sentence, places])
    }
    const ring = [
      { title: '1', name: 'a', needs: ['b'] },
      { title: '2', name: 'b', parent: 'c' },
      { title: '3', name: 'c', needs: ['tracks:a'] },
    ]
    expect(await errorOf(city, OPERATION, { body: { beads: ring } })).toBe(
      '400 invalid-request: beads[0]: entries would wait for each other, a → b → c → a',
    )
    expect((await city.call('GET ~/beads')).body.total).toBe(0)
    expect(await bead(city, 'next')).toBe('to-1')
  })

  test('accepts a hundred beads, with a thousand labels and needs in all', async () => {
    await using town = await openTown()
    const { city } = town
    const entries = (count: number, labels = 0) =>
      Array.from({ length: count }, (_, n) => ({
        title: `n${n}`,
        labels: Array.from({ length: n < 10 ? labels : 0 }, (_, at) => `l${at}`),
      }))
    const full = await create(city, entries(100, 100))
    expect([full.status, full.body.beads.length]).toEqual([201, 100])
    expect(await errorOf(city, OPERATION, { body: { beads: entries(101) } })).toStartWith('422 validation-failed: ')
    expect(await errorOf(city, OPERATION, { body: { beads: [] } })).toStartWith('422 validation-failed: ')
    const heavy = [...entries(99, 100), { title: 'x', needs: ['to-1'] }]
    expect(await errorOf(city, OPERATION, { body: { beads: heavy } })).toBe(
      '422 validation-failed: at most 1000 labels and needs in all, not 1001: send fewer per request',
    )
  })
})

describe('changing many beads at the same time', () => {
  test('applies each change in order, and records no event for beads that stay the same', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b, c] = [await bead(city, 'a'), await bead(city, 'b'), await bead(city, 'c', { priority: 1 })]
    const updates = [
      { id: a, priority: 1, labels: ['x'] },
      { id: b, status: 'closed', metadata: { close_reason: 'done' } },
      { id: c, priority: 1 },
      { id: a, title: 'A' },
    ]
    const change = async () => {
      const { status, body } = await city.call('PATCH ~/beads/bulk', { body: { updates } })
      expect([status, body]).toEqual([200, { status: 'updated' }])
    }
    const events = [`bead.updated ${a}`, `bead.updated ${b}`, `bead.closed ${b}`, `bead.updated ${a}`]
    expect(await eventsOf(city, change)).toEqual(events)
    expect(await eventsOf(city, change)).toEqual([])
    expect((await city.call(`GET ~/bead/${a}`)).body).toMatchObject({ title: 'A', priority: 1, labels: ['x'] })
    expect((await city.call(`GET ~/bead/${b}`)).body).toMatchObject({ status: 'closed' })
  })

  test('adds a line to metadata, and makes work of bookkeeping', async () => {
    await using town = await openTown()
    const { city } = town
    const { id } = (await create(city, [{ title: 'wisp', ephemeral: true }])).body.beads[0]
    const change = (update: object) => city.call('PATCH ~/beads/bulk', { body: { updates: [{ id, ...update }] } })
    const show = async () => (await city.call(`GET ~/bead/${id}`)).body
    expect(await show()).toMatchObject({ ephemeral: true })
    const events = await eventsOf(city, async () => {
      await change({ append_metadata: { notes: 'one' } })
      await change({ append_metadata: { notes: 'two' }, metadata: { other: 'x' }, ephemeral: false })
      await change({ append_metadata: { notes: 'three' }, metadata: { notes: 'new' } })
    })
    expect(events).toEqual([1, 2, 3].map(() => `bead.updated ${id}`))
    const bead = await show()
    expect(bead.metadata).toEqual({ notes: 'new\nthree', other: 'x' })
    expect(bead).not.toHaveProperty('ephemeral')
  })

  test('changes none when one of them cannot be changed, and the error says which', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const { token } = await startSession(city, 'mayor')
    const [a, lost] = [await bead(city, 'a'), await bead(city, 'lost')]
    await city.call(`POST ~/bead/${lost}/claim`, { token })
    await city.call(`PATCH ~/bead/${lost}`, { body: { status: 'open', assignee: '' } })
    const cases: [object, string, string[]][] = [
      [{ id: 'to-99', title: 'x' }, '404 bead-not-found: updates[1]: bead to-99 does not', ['body.updates[1]']],
      [{ id: lost, title: 'x' }, '409 claim-lost: updates[1]: the claim of', ['body.updates[1]']],
      [{ id: a, parent: a }, '400 invalid-request: updates[1]: bead', ['body.updates[1]']],
      [{ id: a, priority: null }, '422 validation-failed: updates[1]: priority', ['body.updates[1].priority']],
      [{ id: a, name: 'x' }, '422 validation-failed: ', ['body.updates[1].name']],
      [{ title: 'x' }, '422 validation-failed: ', ['body.updates[1]']],
    ]
    for (const [update, sentence, places] of cases) {
      const body = { updates: [{ id: a, title: 'changed' }, update] }
      const [error, at] = await rejection(city, 'PATCH ~/beads/bulk', { body, token })
      expect([update, error.slice(0, sentence.length), at]).toEqual([update, sentence, places])
    }
    expect((await city.call(`GET ~/bead/${a}`)).body.title).toBe('a')
    const many = (count: number, more: object = {}) => ({
      body: { updates: Array.from({ length: count }, () => ({ id: a, ...more })) },
    })
    expect((await city.call('PATCH ~/beads/bulk', many(100))).status).toBe(200)
    expect(await errorOf(city, 'PATCH ~/beads/bulk', many(101))).toStartWith('422 validation-failed: ')
    expect(await errorOf(city, 'PATCH ~/beads/bulk', many(0))).toStartWith('422 validation-failed: ')
    const labels = Array.from({ length: 11 }, (_, n) => `l${n}`)
    expect(await errorOf(city, 'PATCH ~/beads/bulk', many(91, { labels }))).toBe(
      '422 validation-failed: at most 1000 labels in all, not 1001: send fewer per request',
    )
  })
})

describe('changing many beads at the same time with a session among them', () => {
  test('changes none', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const session = (await startSession(city, 'mayor')).id
    const updates = [await bead(city, 'work'), session].map((id) => ({ id, status: 'closed' }))
    const [error] = await rejection(city, 'PATCH ~/beads/bulk', { body: { updates } })
    expect(error).toStartWith('409 conflict-wrong-state: ')
  })
})

describe('the operations on many beads', () => {
  test('are covered with success, every declared error and every field of their own', () => {
    expect(coverage.uncovered()).toEqual([])
    expect(coverage.emptyFields().filter((field) => field.startsWith('BeadsCreated'))).toEqual([])
  })
})
