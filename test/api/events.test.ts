import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'bun'
import { knownPayloads } from '../../src/city/events/known.ts'
import { OperationCoverage } from '../support/coverage.ts'
import { misfits } from '../support/schema.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag, path }) => tag === 'events' || path.endsWith('/{id}/history'))
const openTown = towns(coverage)

describe('the events of a city', () => {
  test('are listed newest first, filtered and paged', async () => {
    await using town = await openTown()
    const { city } = town
    for (const title of ['a', 'b', 'c']) await bead(city, title)
    const list = async (query: string) => (await city.call(`GET ~/events?${query}`)).body
    const first = await list('type=bead.created&limit=2')
    expect(first).toMatchObject({ total: 2, items: [{ payload: { bead: { title: 'c' } } }, { subject: 'to-2' }] })
    const newest = await city.call('GET ~/events?limit=1')
    expect(newest.body.total).toBe(Number(newest.headers.get('x-gc-index')))
    expect(first.items[0]).toMatchObject({ type: 'bead.created', actor: expect.any(String), subject: 'to-3' })
    const second = await list(`type=bead.created&limit=2&cursor=${first.next_cursor}`)
    expect(second.items.map(({ subject }: { subject: string }) => subject)).toEqual(['to-1'])
    expect(second.next_cursor).toBeUndefined()
    expect((await list('since=1h')).total).toBeGreaterThan(2)
    expect((await list('actor=nobody')).total).toBe(0)
    const about = async (query: string) =>
      (await list(`subject=to-2&${query}`)).items.map(({ type }: { type: string }) => type)
    expect(await about('')).toEqual(['bead.created'])
    expect(await about('type=bead.created&since=1h')).toEqual(['bead.created'])
    expect(await about('type=bead.closed')).toEqual([])
    expect(await about('actor=nobody')).toEqual([])
    expect((await list('subject=nothing')).total).toBe(0)
    for (const cursor of ['garbage', '-1', '1e3']) {
      expect(await errorOf(city, `GET ~/events?cursor=${cursor}`)).toStartWith('400 invalid-cursor: ')
    }
    expect(await errorOf(city, 'GET ~/events?since=yesterday')).toStartWith('400 invalid-request: ')
    expect(await errorOf(city, 'GET ~/events?limit=x')).toStartWith('422 validation-failed: ')
  })

  test('about one bead are listed newest first and paged, anyone who recorded them', async () => {
    await using town = await openTown()
    const { city } = town
    const [id, other] = [await bead(city, 'a'), await bead(city, 'b')]
    await city.call(`PATCH ~/bead/${id}`, { body: { title: 'A', status: 'closed' } })
    await city.call(`PATCH ~/bead/${other}`, { body: { title: 'B' } })
    await city.call(`POST ~/bead/${id}/comments`, { body: { text: 'done' } })
    await city.call('POST ~/events', { body: { type: 'deploy.finished', actor: 'ci', subject: id } })
    const page = async (query: string) => (await city.call(`GET ~/bead/${id}/history?${query}`)).body
    const types = ({ items }: { items: { type: string }[] }) => items.map(({ type }) => type)
    const all = ['deploy.finished', 'bead.commented', 'bead.closed', 'bead.updated', 'bead.created']
    const whole = await page('')
    expect([types(whole), whole.total, whole.next_cursor]).toEqual([all, 5, undefined])
    const first = await page('limit=2')
    await city.call(`POST ~/bead/${id}/reopen`)
    const second = await page(`limit=2&cursor=${first.next_cursor}`)
    const third = await page(`limit=2&cursor=${second.next_cursor}`)
    expect([first, second, third].flatMap(types)).toEqual(all)
    expect(third.next_cursor).toBeUndefined()
    for (const cursor of ['garbage', '-1', '1e3']) {
      expect(await errorOf(city, `GET ~/bead/${id}/history?cursor=${cursor}`)).toStartWith('400 invalid-cursor: ')
    }
    expect(await errorOf(city, `GET ~/bead/${id}/history?limit=1001`)).toStartWith('422 validation-failed: ')
    await city.call('POST ~/events', { body: { type: 'deploy.finished', actor: 'ci', subject: 'to-9' } })
    expect(await errorOf(city, 'GET ~/bead/to-9/history')).toBe('404 bead-not-found: bead to-9 does not exist')
  })

  test('can be recorded by a caller, in no one else’s name', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 1 })
    const { id, token } = await startSession(city, 'mayor')
    const emit = (body: object, options = {}) => city.call('POST ~/events', { body, ...options })
    const seq = await city.head()
    const own = { type: 'deploy.finished', actor: 'ci', subject: 'web', message: 'done' }
    expect(await emit(own)).toMatchObject({ status: 201, body: { status: 'recorded' } })
    expect(await emit({ type: 'note', actor: id }, { token })).toMatchObject({ status: 201 })
    const recorded = await city.recorded(seq)
    expect(recorded).toMatchObject([
      { ...own, payload: {} },
      { type: 'note', actor: id, session_id: id },
    ])
    const head = await city.head()
    const stranger = { token, body: { type: 'note', actor: 'somebody-else' } }
    expect(await errorOf(city, 'POST ~/events', stranger)).toStartWith('403 forbidden: ')
    for (const actor of ['gc', 'gc/sessions', 'order:sweep']) {
      expect(await errorOf(city, 'POST ~/events', { body: { ...own, actor } })).toStartWith(
        `403 forbidden: forbidden: ${actor} is a name of gc itself`,
      )
    }
    expect(await errorOf(city, 'POST ~/events', { body: { ...own, payload: 1 } })).toStartWith('422 validation-')
    const long = { body: { ...own, message: 'm'.repeat(65_537) } }
    expect(await errorOf(city, 'POST ~/events', long)).toStartWith('422 validation-failed: ')
    expect(await city.recorded(head)).toEqual([])
  })

  test('of types that gc records itself can be emitted: they have their shape and nothing follows from them', async () => {
    await using town = await openTown()
    const { city } = town
    const work = await bead(city, 'work')
    const convoy = (await city.call('POST ~/convoys', { body: { title: 'both', items: [work] } })).body.id
    const head = await city.head()
    for (const type of knownPayloads.keys()) {
      const emitted = await city.call('POST ~/events', { body: { type, actor: 'ci', subject: work } })
      expect([type, emitted.status]).toEqual([type, 201])
    }
    const all: { seq: number; type: string; actor: string; payload: unknown }[] = (
      await city.call('GET ~/events?limit=1000&actor=ci')
    ).body.items
    const recorded = all.filter(({ seq }) => seq > head).reverse()
    expect(recorded.map(({ type, actor }) => `${type} by ${actor}`)).toEqual(
      [...knownPayloads.keys()].map((type) => `${type} by ci`),
    )
    const document = (await town.world.call('GET /openapi.json')).body
    for (const { type, payload } of recorded) {
      const schema = { $ref: `#/components/schemas/${knownPayloads.get(type)?.$id}` }
      expect([type, ...misfits(document, schema, payload)]).toEqual([type])
    }
    expect((await city.call(`GET ~/convoy/${convoy}`)).body).toMatchObject({ convoy: { status: 'open' } })
  })

  test('are archived without loss, and lists still return them', async () => {
    await using town = await openTown()
    const { city } = town
    for (const title of ['a', 'b']) await bead(city, title)
    const before = (await city.call('GET ~/events?limit=1000')).body.total
    const { body } = await city.call('POST ~/events/rotate?wait=true')
    expect(body).toMatchObject({
      rotated: true,
      archive: { first_seq: 1, last_seq: before, compression_status: 'complete' },
      anchor_event: { seq: before + 1, type: 'events.rotated' },
    })
    const lines = new TextDecoder()
      .decode(gunzipSync(readFileSync(body.archive.path)))
      .trim()
      .split('\n')
    expect(lines).toHaveLength(before)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ seq: 1 })
    expect((await city.call('GET ~/events')).body.total).toBe(before + 1)
  })

  test('of all cities are one list, oldest first', async () => {
    await using town = await openTown()
    await using other = await openTown()
    const { city, world } = town
    await bead(city, 'a')
    await bead(other.city, 'b')
    const { items, event_cursor, total } = (await world.call('GET /v0/events?type=bead.created&limit=2')).body
    expect(items.map((event: { city: string }) => event.city)).toEqual([city.name, other.city.name])
    expect(total).toBeGreaterThanOrEqual(2)
    expect(event_cursor).toContain(`${city.name}:`)
    expect((await world.call('GET /v0/events?since=yesterday')).body.code).toBe('invalid-request')
    expect((await world.call('GET /v0/events?limit=10001')).status).toBe(422)
    for await (const frame of world.follow(`/v0/events/stream?after_cursor=${encodeURIComponent('0')}`)) {
      expect(frame.event).toBe('tagged_event')
      break
    }
    for await (const frame of world.follow(`/v0/city/${city.name}/events/stream?after_seq=0`)) {
      expect(frame).toMatchObject({ id: '1', event: 'event', data: { seq: 1 } })
      break
    }
    for (const path of ['/v0/events/stream?after_cursor=x:y', `/v0/city/${city.name}/events/stream?after_seq=x`]) {
      expect((await world.call(`GET ${path}`)).body.code).toBe('invalid-cursor')
    }
  })
})

describe('the operations on events', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field', () => {
    const shapes = /^(SupervisorEventListOutputBody|ListBodyWireEvent|EventEmit|EventRotate)/
    expect(coverage.emptyFields().filter((field) => shapes.test(field))).toEqual([
      'EventRotateResponse.reason',
      'ListBodyWireEvent.partial',
      'ListBodyWireEvent.partial_errors',
    ])
  })
})
