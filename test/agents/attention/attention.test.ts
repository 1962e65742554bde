import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { toTimestamp } from '../../../src/core/clock.ts'
import { query } from '../../../src/core/store/index.ts'
import { PROBE_MS } from '../../../src/core/store/trouble.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const AGENTS = `
[[agent]]
name = "worker"
start_command = "true"
[[agent]]
name = "bare"
[[agent]]
name = "ghost"
provider = "codex"
[[agent]]
name = "resting"
start_command = "true"
suspended = true
[[agent]]
name = "idle-ghost"
provider = "codex"
`

const announced = (city: City, after = 0) =>
  city.log.after(after, 1000).flatMap(({ type, payload }) => (type.startsWith('attention.') ? [[type, payload]] : []))

describe('the attention list', () => {
  test('is announced when it comes and when it goes, with what to do, in the history of its bead', async () => {
    await using town = scriptedTown(AGENTS)
    const city = await town.open()
    const { id } = await city.beads.create(human, {
      title: 'cursed',
      labels: ['gc:parked'],
      metadata: { 'gc.routed_to': 'worker' },
    })
    await city.attention.whenIdle()
    const item = { id: `parked:${id}`, kind: 'parked', bead_id: id, asks: expect.stringContaining('cursed') }
    expect(city.attention.list().items).toMatchObject([item])
    await city.parking.unpark(human, id)
    await city.attention.whenIdle()
    expect(city.attention.list().items).toEqual([])
    expect(announced(city)).toEqual([
      ['attention.raised', expect.objectContaining({ ...item, to_do: expect.stringContaining(`unpark ${id}`) })],
      ['attention.cleared', expect.objectContaining(item)],
    ])
    expect(city.events.history(id, {}).items.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['attention.raised', 'attention.cleared']),
    )
  })

  test('includes a full disk until there is room, and what came up in between is announced then', async () => {
    await using town = scriptedTown(AGENTS)
    const city = await town.open()
    const limit = (pages: number) => city.store.get(query<unknown>(`PRAGMA max_page_count = ${pages}`))
    const parked = { title: 'cursed', labels: ['gc:parked'], metadata: { 'gc.routed_to': 'worker' } }
    await city.reconciler.settle()
    await city.attention.whenIdle()
    const { head } = city.log
    limit(1)
    const rejected = city.beads.create(human, { title: 'lost', description: 'x'.repeat(200_000) })
    await expect(rejected).rejects.toThrow(`the disk is full: no space is left in ${town.path}/.gc; free some space`)
    const item = {
      id: 'store:city',
      kind: 'store',
      asks: `the disk is full: no space is left in ${town.path}/.gc`,
      to_do: 'free some space there, and writes resume',
    }
    expect(city.attention.list().items).toMatchObject([item])
    const problem = `${item.asks}; ${item.to_do}`
    expect(city.status.health().status).toBe(`failed: ${problem}`)
    expect((await city.status.status(true)).value.partial_errors).toEqual([`store: ${problem}`])
    expect(city.beads.total()).toBe(0)
    limit(100_000)
    await town.clock.advance(PROBE_MS)
    await city.store.write(() => undefined)
    expect([city.attention.list().items, city.status.health().status]).toEqual([[], 'ok'])
    expect(city.log.after(head, 10)).toEqual([])
    const { id } = await city.beads.create(human, parked)
    await city.attention.whenIdle()
    expect(announced(city, head)).toMatchObject([['attention.raised', { id: `parked:${id}` }]])
    expect(town.reports.filter((message) => message.includes('could not be announced'))).toEqual([])
  })

  test('is announced once over a restart, and when it went while no one ran, then', async () => {
    await using town = scriptedTown(AGENTS)
    let city = await town.open()
    const stays = await city.beads.create(human, {
      title: 'stays',
      labels: ['gc:parked'],
      metadata: { 'gc.routed_to': 'worker' },
    })
    const goes = await city.beads.create(human, {
      title: 'goes',
      labels: ['gc:parked'],
      metadata: { 'gc.routed_to': 'worker' },
    })
    await city.attention.whenIdle()
    const { items } = city.attention.list()
    const head = city.log.head
    await city.attention.stop()
    await city.parking.unpark(human, goes.id)
    await city.close({ endSessions: false })
    await town.clock.advance(60_000)
    city = await town.open()
    await city.attention.whenIdle()
    expect(announced(city, head)).toEqual([['attention.cleared', expect.objectContaining({ id: `parked:${goes.id}` })]])
    expect(city.attention.list().items).toEqual(items.filter(({ bead_id }) => bead_id === stays.id))
  })
})

describe('work that no one can take', () => {
  test('is listed with what to do, as soon as it is there and for as long as it waits', async () => {
    await using town = scriptedTown(AGENTS)
    const city = await town.open({ env: { PATH: '/nowhere' } })
    expect(city.attention.list().items).toEqual([])
    const create = async (title: string, to?: string) =>
      (await city.beads.create(human, { title, ...(to !== undefined && { metadata: { 'gc.routed_to': to } }) })).id
    const free = await create('free')
    const [bare, ghost, resting, nobody] = [
      await create('a', 'bare'),
      await create('b', 'ghost'),
      await create('c', 'resting'),
      await create('d', 'nobody'),
    ]
    await create('e', 'worker')
    const brief = () =>
      Object.fromEntries(city.attention.list().items.map(({ id, bead_id, to_do }) => [id, [bead_id, to_do]]))
    expect(brief()).toEqual({
      'unrouted:city': [undefined, `gc sling <agent> ${free}`],
      'cannot-start:bare': [bare, expect.stringContaining('bare')],
      'cannot-start:ghost': [ghost, 'npm install -g @openai/codex'],
      'suspended:agent:resting': [resting, 'gc agent resume resting'],
      'unknown-agent:nobody': [nobody, expect.stringContaining(`gc sling <agent> ${nobody}`)],
    })
    const asks = city.attention.list().items.map((item) => item.asks)
    expect(asks).toContainEqual(expect.stringContaining('it has neither a provider nor a start_command'))
    expect(asks).toContainEqual(expect.stringContaining("provider 'codex' not found in PATH"))
    await city.beads.create(human, { title: 'later', defer_until: toTimestamp(town.clock.now() + 3_600_000) })
    const unrouted = city.attention.list().items.find(({ id }) => id === 'unrouted:city')
    expect(unrouted?.asks).toBe(`Bead ${free} is ready, and is routed to no agent.`)
    await town.clock.advance(2_000)
    await city.attention.whenIdle()
    expect(announced(city).map(([type]) => type)).toEqual(Array(5).fill('attention.raised'))
    await city.beads.close(human, free, {})
    await city.agents.act(human, 'resting', 'resume')
    await town.clock.advance(1_000)
    await city.attention.whenIdle()
    expect(announced(city).slice(5)).toMatchObject([
      ['attention.cleared', { id: 'unrouted:city' }],
      ['attention.cleared', { id: 'suspended:agent:resting' }],
    ])
  })
})
