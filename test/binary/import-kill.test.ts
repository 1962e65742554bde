import { expect, test } from 'bun:test'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const KILLS = Number(process.env.GC_KILLS ?? 3)
const BEADS = 6000

/** Lines of new beads; each fifth waits for another. */
const file = Array.from({ length: BEADS }, (_, n) =>
  JSON.stringify({
    id: `far-${n}`,
    title: `bead ${n}`,
    description: 'What has to be done, and how one sees that it is done. '.repeat(4),
    created_at: '2025-11-08T12:00:00Z',
    labels: ['a', `l${n % 50}`],
    dependencies: n % 5 === 4 ? [{ depends_on_id: `far-${n - 3}` }] : [],
  }),
).join('\n')

const send = (city: TestCity, signal?: AbortSignal): Promise<Response> =>
  fetch(`${city.world.url}/v0/city/${city.name}/beads/import`, {
    method: 'POST',
    headers: { 'x-gc-request': '1' },
    body: file,
    ...(signal && { signal }),
  })

const total = async (city: TestCity): Promise<number> => (await city.call('GET ~/beads?limit=1')).body.total

test('a large import that is killed is there whole afterwards, or not at all', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', '')
  const before = await total(city)
  for (let kill = 0; kill < KILLS; kill++) {
    const sent = send(city).catch(() => undefined)
    await Bun.sleep(60 + kill * 150)
    await world.kill()
    await sent
    await world.start()
    const isWholeOrGone = (count: number) => count === before || count === before + BEADS
    await eventually('whole or gone', 10_000, () => total(city), isWholeOrGone)
  }
  expect((await send(city)).status).toBe(200)
  expect(await total(city)).toBe(before + BEADS)
  expect(await (await send(city)).json()).toMatchObject({ created: 0, updated: 0, unchanged: BEADS })
}, 90_000)

test('imports one of two simultaneous large files while other writes continue', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', '')
  const before = await total(city)
  const answers = await Promise.all([send(city), send(city)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503])
  expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('2')
  const [later, { body }] = await Promise.all([send(city), city.call('POST ~/beads', { body: { title: 'own' } })])
  expect(later.status).toBe(200)
  expect(body.title).toBe('own')
  expect(await total(city)).toBe(before + BEADS + 1)
}, 90_000)

test('a large import whose client goes is there whole or not at all, and the next is imported', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', '')
  const before = await total(city)
  const controller = new AbortController()
  const sent = send(city, controller.signal).then(
    () => 'imported',
    () => 'gone',
  )
  await Bun.sleep(50)
  controller.abort()
  await sent
  const next = await eventually(
    'imported',
    20_000,
    () => send(city),
    ({ status }) => status === 200,
  )
  expect(await next.json()).toMatchObject({ updated: 0, skipped: 0 })
  expect(await total(city)).toBe(before + BEADS)
}, 90_000)
