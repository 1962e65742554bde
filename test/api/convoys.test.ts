import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, errorOf, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'convoys')
const openTown = towns(coverage)

const eventsOf = async (city: TestCity, work: () => Promise<unknown>): Promise<string[]> => {
  const seq = await city.head()
  await work()
  return (await city.recorded(seq)).map(({ type, subject }) => `${type} ${subject}`)
}

async function convoyOf(city: TestCity, items: string[]): Promise<string> {
  const { status, body } = await city.call('POST ~/convoys', { body: { title: 'batch', items } })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

describe('a convoy', () => {
  test('tracks its items, reports their progress and closes with the last of them', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b] = [await bead(city, 'a'), await bead(city, 'b')]
    const seq = await city.head()
    const created = await city.call('POST ~/convoys', { body: { title: 'batch', items: [a, b, a] } })
    expect(created.status).toBe(201)
    const { id } = created.body
    expect(created.body).toMatchObject({ title: 'batch', status: 'open', issue_type: 'convoy' })
    expect(created.body.needs ?? created.body.dependencies).toBeArray()
    const recorded = await city.recorded(seq)
    expect(recorded.map(({ type, subject, actor }) => [type, subject, actor])).toEqual([
      ['bead.created', id, expect.any(String)],
      ['convoy.created', id, 'human'],
    ])
    await city.call(`POST ~/bead/${a}/close`)
    const { body: half } = await city.call(`GET ~/convoy/${id}`)
    expect(half).toMatchObject({
      convoy: { id, title: 'batch' },
      children: [
        { id: a, status: 'closed' },
        { id: b, status: 'open' },
      ],
      progress: { total: 2, closed: 1 },
    })
    const check = async () => (await city.call(`GET ~/convoy/${id}/check`)).body
    expect(await check()).toEqual({ convoy_id: id, total: 2, closed: 1, complete: false })
    const last = await city.head()
    await city.call(`POST ~/bead/${b}/close`)
    await city.event(last, ({ type }) => type === 'convoy.closed')
    expect((await city.recorded(last)).map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      `bead.closed ${b}`,
      `bead.closed ${id}`,
      `convoy.closed ${id}`,
    ])
    expect(await check()).toEqual({ convoy_id: id, total: 2, closed: 2, complete: true })
    expect((await city.call(`GET ~/convoy/${id}`)).body.convoy.status).toBe('closed')
    expect((await city.call('GET ~/convoys')).body.total).toBe(0)
  })

  test('keeps its settings from its creation; an owned one waits for a person', async () => {
    await using town = await openTown()
    const { city } = town
    const a = await bead(city, 'a')
    const seq = await city.head()
    const agreed = { owned: true, owner: 'mayor', merge: 'mr', target: 'next' }
    const body = { title: 'batch', items: [a], ...agreed }
    const create = () => city.call('POST ~/convoys/terms', { body, headers: { 'Idempotency-Key': 'batch' } })
    const made = await create()
    const { id } = made.body
    expect(made).toMatchObject({ status: 201, body: { title: 'batch', issue_type: 'convoy', labels: ['owned'] } })
    expect(made.body.metadata).toEqual({ 'convoy.owner': 'mayor', 'convoy.merge': 'mr', target: 'next' })
    expect((await create()).body).toEqual(made.body)
    const other = await convoyOf(city, [a])
    await city.call(`POST ~/bead/${a}/close`)
    await city.event(seq, ({ type }) => type === 'convoy.closed')
    expect((await city.call(`GET ~/convoy/${id}`)).body.convoy.status).toBe('open')
    expect((await city.recorded(seq)).map(({ type, subject }) => [type, subject])).toEqual([
      ['bead.created', id],
      ['convoy.created', id],
      ['bead.created', other],
      ['convoy.created', other],
      ['bead.closed', a],
      ['bead.closed', other],
      ['convoy.closed', other],
    ])
    const plain = await city.call('POST ~/convoys/terms', { body: { title: 'plain' } })
    expect([plain.body.labels, plain.body.metadata]).toEqual([undefined, undefined])
    const wrong = (more: object) => errorOf(city, 'POST ~/convoys/terms', { body: { title: 'x', ...more } })
    expect(await wrong({ merge: 'squash' })).toStartWith('422 validation-failed: ')
    expect(await wrong({ owner: '' })).toStartWith('422 validation-failed: ')
    expect(await wrong({ items: ['to-99'] })).toStartWith('404 bead-not-found: ')
    expect(await wrong({ rig: 'nowhere' })).toStartWith('400 invalid-request: ')
  })

  test('adds and removes members, all of them or none', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b, c] = [await bead(city, 'a'), await bead(city, 'b'), await bead(city, 'c')]
    const id = await convoyOf(city, [a])
    const members = async () =>
      ((await city.call(`GET ~/convoy/${id}`)).body.children ?? []).map((child: { id: string }) => child.id)
    const add = (items: string[]) => city.call(`POST ~/convoy/${id}/add`, { body: { items } })
    const remove = (items: string[]) => city.call(`POST ~/convoy/${id}/remove`, { body: { items } })
    expect(await eventsOf(city, () => add([b, c]))).toEqual([`bead.updated ${id}`])
    expect(await eventsOf(city, () => add([b]))).toEqual([])
    expect(await members()).toEqual([a, b, c])
    expect(await errorOf(city, `POST ~/convoy/${id}/add`, { body: { items: [a, 'to-99'] } })).toStartWith('404 bead-')
    expect(await eventsOf(city, () => remove([b]))).toEqual([`bead.updated ${id}`])
    const stranger = { body: { items: [a, b] } }
    expect(await errorOf(city, `POST ~/convoy/${id}/remove`, stranger)).toBe(
      `400 invalid-request: bead ${b} is not in convoy ${id}`,
    )
    const lost = { body: { items: ['to-99'] } }
    expect(await errorOf(city, `POST ~/convoy/${id}/remove`, lost)).toStartWith('404 bead-not-found: ')
    expect(await members()).toEqual([a, c])
  })

  test('is closed by a person, once, and its members do not change', async () => {
    await using town = await openTown()
    const { city } = town
    const a = await bead(city, 'a')
    const [one, two] = [await convoyOf(city, [a]), await convoyOf(city, [a])]
    const closed = (id: string) => [`bead.closed ${id}`, `convoy.closed ${id}`]
    expect(await eventsOf(city, () => city.call(`POST ~/convoy/${one}/close`))).toEqual(closed(one))
    expect(await eventsOf(city, () => city.call(`POST ~/convoy/${one}/close`))).toEqual([])
    expect(await eventsOf(city, () => city.call(`DELETE ~/convoy/${two}`))).toEqual(closed(two))
    expect((await city.call(`GET ~/bead/${a}`)).body.status).toBe('open')
  })

  test('without members is never complete and does not close', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await convoyOf(city, [])
    expect((await city.call(`GET ~/convoy/${id}`)).body).toEqual({
      convoy: expect.anything(),
      progress: { total: 0, closed: 0 },
    })
    expect((await city.call(`GET ~/convoy/${id}/check`)).body.complete).toBe(false)
  })

  test('that does not exist, or is a bead of another type, is rejected', async () => {
    await using town = await openTown()
    const { city } = town
    const task = await bead(city, 'task')
    const items = { body: { items: [task] } }
    const requests: [string, object?][] = [
      ['POST ~/convoy/ID/add', items],
      ['POST ~/convoy/ID/remove', items],
      ['POST ~/convoy/ID/close'],
      ['DELETE ~/convoy/ID'],
      ['GET ~/convoy/ID/check'],
    ]
    for (const [operation, options] of requests) {
      expect(await errorOf(city, operation.replace('ID', 'to-99'), options)).toBe(
        '404 convoy-not-found: convoy to-99 does not exist',
      )
      expect(await errorOf(city, operation.replace('ID', task), options)).toBe(
        `400 invalid-request: bead ${task} is a task, not a convoy`,
      )
    }
    for (const id of ['to-99', task]) {
      expect(await errorOf(city, `GET ~/convoy/${id}`)).toBe(`404 convoy-not-found: convoy ${id} does not exist`)
    }
    const create = (body: object) => errorOf(city, 'POST ~/convoys', { body })
    expect(await create({ title: 'x', items: ['to-99'] })).toStartWith('404 bead-not-found: ')
    expect(await create({ title: 'x', rig: 'nowhere' })).toStartWith('400 invalid-request: ')
    expect(await create({ title: 't'.repeat(1025) })).toStartWith('422 validation-failed: title is too long')
    expect(await create({ items: [] })).toStartWith('422 validation-failed: ')
  })
})

describe('lists of convoys', () => {
  test('are paged newest first', async () => {
    await using town = await openTown()
    const { city } = town
    const a = await bead(city, 'a')
    const ids = [await convoyOf(city, [a]), await convoyOf(city, [a]), await convoyOf(city, [a])]
    const first = (await city.call('GET ~/convoys?limit=2')).body
    expect(first).toMatchObject({ total: 3, items: [{ id: ids[2] }, { id: ids[1] }] })
    const second = (await city.call(`GET ~/convoys?limit=2&cursor=${first.next_cursor}`)).body
    expect(second).toMatchObject({ total: 3, items: [{ id: ids[0] }] })
    expect(await errorOf(city, 'GET ~/convoys?cursor=garbage')).toStartWith('400 invalid-cursor: ')
  })
})

describe('the progress of convoys', () => {
  test('reports several together, and an id that is not a convoy has no members', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b] = [await bead(city, 'a'), await bead(city, 'b')]
    const id = await convoyOf(city, [a, b])
    await city.call(`POST ~/bead/${a}/close`)
    expect((await city.call(`GET ~/convoys/progress?ids=${id},to-99`)).body).toEqual({
      convoys: { [id]: { total: 2, closed: 1 }, 'to-99': { total: 0, closed: 0 } },
    })
    expect((await city.call('GET ~/convoys/progress')).body).toEqual({ convoys: {} })
    const many = Array.from({ length: 201 }, (_, at) => `to-${at}`).join(',')
    expect(await errorOf(city, `GET ~/convoys/progress?ids=${many}`)).toBe(
      '400 invalid-request: ask for at most 200 convoys per request, not 201',
    )
  })
})

describe('the operations on convoys', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those of other bead types', () => {
    const own = coverage.emptyFields().filter((field) => !field.startsWith('Bead.'))
    expect(own).toEqual(['ListBodyBead.partial', 'ListBodyBead.partial_errors'])
  })
})
