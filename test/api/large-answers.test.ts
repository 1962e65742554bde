import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NetworkClient } from '../support/network.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type TestCity, World } from '../support/world.ts'
import { bead } from './town.ts'

const MB = 1024 * 1024
const TEXT = 'x'.repeat(256 * 1024)
const sizeOf = (answer: Answer): number => Buffer.byteLength(JSON.stringify(answer.body))

/** Creates beads of 256 KB each, as many as one request holds at a time. */
async function createLarge(city: TestCity, count: number, more: object): Promise<void> {
  for (let n = 0; n < count; n += 3) {
    const beads = Array.from({ length: Math.min(3, count - n) }, (_, k) => ({
      title: `${n + k}`,
      description: TEXT,
      ...more,
    }))
    const { status } = await city.call('POST ~/beads/bulk', { body: { beads } })
    if (status !== 201) throw new Error(`${status}`)
  }
}

/** Makes a run of so many steps; each has a thousand times six bytes in an answer. */
async function runOfMany(city: TestCity, count: number): Promise<string> {
  const root = await bead(city, 'many', { type: 'molecule' })
  const step = { title: '\u0001'.repeat(1000), issue_type: 'step', created_at: '2026-01-01T00:00:00Z' }
  const dependencies = [{ depends_on_id: root, type: 'parent-child' }]
  const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ id: `many-${n}`, ...step, dependencies }))
  for (let n = 0; n < count; n += 6_000) {
    const { status, body } = await city.call('POST ~/beads/import', { raw: lines.slice(n, n + 6_000).join('\n') })
    if (status !== 200) throw new Error(`${status}: ${body.detail}`)
  }
  return root
}

interface Listed {
  id?: string
  seq?: number
  bead_id?: string
}

const idOf = ({ id, bead_id, seq }: Listed): string => id ?? bead_id ?? String(seq)

/** All pages of a list: how many there are, and the ids of all items; `name` is the field with the items. */
async function readPages(city: TestCity, path: string, name = 'items') {
  let pages = 0
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const answer: Answer = await city.call(`GET ${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    expect(answer.status).toBe(200)
    expect(sizeOf(answer)).toBeLessThan(MB + 1024)
    pages++
    ids.push(...answer.body[name].map(idOf))
    cursor = answer.body.next_cursor
  }
  return { pages, ids }
}

test('a page of a list ends at one megabyte and its cursor continues', async () => {
  await using world = await World.open()
  const city = await world.city()
  await createLarge(city, 10, { labels: ['large'] })
  for (let n = 0; n < 10; n++) {
    const to = await city.call('POST ~/mail', { body: { to: 'human', subject: `${n}`, body: TEXT } })
    expect(to.status).toBe(201)
  }
  const on = await bead(city, 'discussed')
  for (let n = 0; n < 16; n++) await city.call(`POST ~/bead/${on}/comments`, { body: { text: TEXT.slice(0, 60_000) } })
  for (const [path, total] of [
    ['~/beads?limit=1000&label=large', 10],
    ['~/beads?limit=1000&all=true&type=task&label=large', 10],
    ['~/mail?limit=1000', 10],
    ['~/mail/inbox?limit=1000', 10],
    ['~/mail/threads?limit=1000', 10],
    [`~/bead/${on}/comments?limit=1000`, 16],
    ['~/events?limit=1000&type=bead.created', 21],
  ] as const) {
    const { pages, ids } = await readPages(city, path)
    expect([path, pages > 1 || path.includes('comments'), new Set(ids).size]).toEqual([path, true, total])
  }
  const search = await city.call('GET ~/beads/search?q=discussed')
  expect(search.body.items).toHaveLength(1)
}, 30_000)

test('a page of events ends at one megabyte in every script, and a list of all cities keeps the newest', async () => {
  await using world = await World.open()
  const city = await world.city()
  const id = await bead(city, 'described')
  for (let n = 0; n < 12; n++) {
    await city.call(`PATCH ~/bead/${id}`, { body: { description: `${n}${'語'.repeat(80_000)}` } })
  }
  for (const path of ['~/events?limit=1000&type=bead.updated', `~/bead/${id}/history?limit=1000`]) {
    const { pages, ids } = await readPages(city, path)
    expect([path, pages > 2, new Set(ids).size >= 12]).toEqual([path, true, true])
  }
  const [before, { items }, after] = [
    await city.head(),
    (await world.call('GET /v0/events?limit=5')).body,
    await city.head(),
  ]
  expect(items.at(-1).city).toBe(city.name)
  expect(items.at(-1).seq).toBeWithin(before, after + 1)
}, 30_000)

test('a page of runs of orders or of the steps of a run ends at one megabyte and its cursor continues', async () => {
  await using world = await World.open()
  const city = await world.city()
  mkdirSync(join(city.path, 'orders'))
  writeFileSync(join(city.path, 'orders/quick.toml'), '[order]\ntrigger = "manual"\nexec = "true"\n')
  await city.call('POST ~/config/reload')
  const labels = Array.from({ length: 250 }, (_, n) => `${n}-${'l'.repeat(240)}`)
  const runs: string[] = []
  for (let n = 0; n < 20; n++) {
    const { tracking_id: run } = (await city.call('POST ~/order/quick/run', { body: {} })).body
    await eventually(
      'the order has run',
      10_000,
      () => city.call('GET ~/order-runs?limit=1'),
      ({ body }) => body.entries[0]?.duration_ms !== undefined && body.entries[0].bead_id === run,
    )
    expect((await city.call(`PATCH ~/bead/${run}`, { body: { labels } })).status).toBe(200)
    runs.push(run)
  }
  const orders = await readPages(city, '~/order-runs?limit=500', 'entries')
  expect([orders.pages, orders.ids]).toEqual([2, runs.reverse()])

  const root = await runOfMany(city, 400)
  const timeline = await readPages(city, `~/runs/${root}/timeline?limit=200`, 'steps')
  expect([timeline.pages > 2, timeline.ids.length, new Set(timeline.ids).size]).toEqual([true, 400, 400])
}, 60_000)

test('the steps of a run that have no room in one answer are read from its timeline', async () => {
  await using world = await World.open()
  const city = await world.city()
  const root = await runOfMany(city, 11_500)
  const { status, body } = await city.call(`GET ~/runs/${root}/steps`)
  expect([status, body.code]).toEqual([413, 'response-too-large'])
  expect(body.detail).toBe(`run ${root} has more than 64 MB; read it page by page at runs/${root}/timeline`)
}, 60_000)

test('responses without pages end at 64 MB, or name the pages instead', async () => {
  await using world = await World.open()
  const city = await world.city()
  const root = await bead(city, 'root', { type: 'convoy' })
  await createLarge(city, 258, { parent: root, needs: [`related:${root}`] })
  for (const path of [`beads/graph/${root}`, `bead/${root}/deps`, `bead/${root}/dependencies`, `convoy/${root}`]) {
    const { status, body } = await city.call(`GET ~/${path}`)
    expect([path, status, body.code]).toEqual([path, 413, 'response-too-large'])
    expect(body.detail).toMatch(/ has more than 64 MB; read (it|its beads|the beads) .*(GET beads|\/beads)$/)
  }
  const ready = await city.call('GET ~/beads/ready')
  expect([ready.status, ready.body.partial, ready.body.total]).toEqual([200, true, 258])
  expect(ready.body.partial_errors).toHaveLength(1)
  expect(ready.body.items.length).toBeLessThan(258)
  expect(sizeOf(ready)).toBeLessThan(64 * MB + 1024)
  const { ids } = await readPages(city, `~/beads/graph/${root}/beads?limit=1000`)
  expect(new Set(ids).size).toBe(259)
}, 60_000)

test('a page of the network ends at one megabyte and its cursor continues', async () => {
  await using network = await NetworkClient.open(
    '[limits]\nrepeats = false\npost = "1000/1m"\ncomment = "1000/1m"\ngeneral = "10000/1m"\n',
  )
  const { key } = await network.register('ada')
  const posts: string[] = []
  for (let n = 0; n < 30; n++) {
    const body = { submolt: 'general', title: `lamp ${n}`, content: `lamp ${'x '.repeat(19_000)}${n}` }
    posts.push(String(Object((await network.request('POST /posts', { key, body })).post).id))
  }
  for (let n = 0; n < 120; n++) {
    await network.request(`POST /posts/${posts[0]}/comments`, { key, body: { content: `${'x '.repeat(4_900)}${n}` } })
  }
  for (const [path, name, total] of [
    ['/posts?limit=100', 'posts', 30],
    ['/feed?limit=100', 'posts', 30],
    ['/feed?limit=100&filter=following', 'posts', 0],
    ['/search?q=lamp&limit=50', 'results', 30],
    [`/posts/${posts[0]}/comments?limit=100`, 'comments', 120],
  ] as const) {
    const ids = new Set<string>()
    for (let cursor: unknown = ''; cursor !== null; ) {
      const body = await network.request(`GET ${path}${cursor === '' ? '' : `&cursor=${cursor}`}`, { key })
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(MB + 64 * 1024)
      for (const { id } of body[name] as { id: string }[]) ids.add(id)
      cursor = body.next_cursor ?? null
    }
    expect([path, ids.size]).toEqual([path, total])
  }
}, 60_000)
