import { expect, test } from 'bun:test'
import { NetworkClient } from '../support/network.ts'
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

/** All pages of a list: how many there are, and the ids of all items. */
async function readPages(city: TestCity, path: string) {
  let pages = 0
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const answer: Answer = await city.call(`GET ${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    expect(answer.status).toBe(200)
    expect(sizeOf(answer)).toBeLessThan(MB + 1024)
    pages++
    ids.push(...answer.body.items.map(({ id, seq }: { id?: string; seq?: number }) => id ?? String(seq)))
    cursor = answer.body.next_cursor
  }
  return { pages, ids }
}

test('a page of a list ends at one megabyte and its cursor goes on', async () => {
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

test('what has no pages ends at 64 MB, or names the pages instead', async () => {
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

test('a page of the network ends at one megabyte and its cursor goes on', async () => {
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
    ['/feed?limit=100', 'posts', 0],
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
