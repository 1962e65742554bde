import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { up } from '../slow/town.ts'
import { eventually, until } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

/** Files that changed less than two seconds ago may change again without a trace, so a city does not rest on them. */
const settle = () => Bun.sleep(2_100)

/** Stops the supervisor and its cities, and starts it again with cities that rest if they can. */
async function restart(world: World): Promise<void> {
  await settle()
  await world.stop()
  await world.start()
}

/** Number of times a city was opened, as all who read the events of all cities see it. */
async function opened({ world, name }: TestCity): Promise<number> {
  const { body } = await world.call('GET /v0/events?type=controller.started&limit=1000')
  return body.items.filter(({ city }: { city: string }) => city === name).length
}

const listed = async ({ world, name }: TestCity) =>
  (await world.call('GET /v0/cities')).body.items.find((item: { name: string }) => item.name === name)

const runs = async (city: TestCity) => {
  await eventually(
    'the city runs',
    15_000,
    () => listed(city),
    ({ running }) => running,
  )
}

describe('a city in which nothing happens', () => {
  test('counts as running after a start, and is opened by the first request, once', async () => {
    await using world = await World.open()
    const city = await world.city('mill')
    const other = await world.city('other')
    const { body: bead } = await city.call('POST ~/beads', { body: { title: 'oil' } })
    await restart(world)
    for (const each of [city, other]) await runs(each)
    expect((await world.call('GET /health')).body).toMatchObject({
      ...{ status: 'ok', cities_total: 2, cities_running: 2, startup: { ready: true, phase: 'running' } },
    })
    expect(await listed(city)).toEqual({ name: 'mill', path: city.path, running: true })
    expect([await opened(city), await opened(other)]).toEqual([1, 1])
    const answers = await Promise.all(['a', 'b', 'c'].map(() => city.call(`GET ~/bead/${bead.id}`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([await opened(city), await opened(other)]).toEqual([2, 1])
    expect((await world.call('GET /v0/city/nowhere/beads')).status).toBe(404)
  })

  test('rests on after the supervisor was killed, and loses nothing that was acknowledged once it is open', async () => {
    await using world = await World.open()
    const city = await world.city('mill')
    await restart(world)
    await runs(city)
    await world.kill()
    await world.start()
    await runs(city)
    expect(await opened(city)).toBe(1)
    const { body: bead } = await city.call('POST ~/beads', { body: { title: 'oil' } })
    await world.kill()
    await world.start()
    await up(city)
    expect((await city.call(`GET ~/bead/${bead.id}`)).status).toBe(200)
    expect(await opened(city)).toBe(3)
  })

  test('gives its events to lists, metrics and streams of all cities, and a rejected request does not open it', async () => {
    await using world = await World.open()
    const city = await world.city('mill')
    await city.call('POST ~/beads', { body: { title: 'oil' } })
    await settle()
    const head = await city.head()
    const before = (await world.call('GET /v0/events?limit=1000')).body
    await restart(world)
    await runs(city)
    const after = (await world.call('GET /v0/events?limit=1000')).body
    expect(after.items).toEqual(expect.arrayContaining(before.items))
    expect(after.event_cursor).toContain(`mill:${head + 1}`)
    expect((await world.call('GET /metrics')).body).toContain('gc_beads{city="mill",status="open"} 1')
    expect((await city.call('POST ~/beads', { unmarked: true, body: { title: 'no' } })).status).toBe(403)
    expect(await opened(city)).toBe(1)
    const types: string[] = []
    const creating = city.call('POST ~/beads', { body: { title: 'grease' } })
    for await (const { data } of world.follow(`/v0/events/stream?after_cursor=${after.event_cursor}`)) {
      if (data.city === 'mill') types.push(data.type)
      if (data.type === 'bead.created') break
    }
    await creating
    expect(types).toEqual(['controller.started', 'bead.created'])
    await restart(world)
    await runs(city)
    for await (const { data } of world.follow('/v0/events/stream?after_cursor=0'))
      if (data.type === 'bead.created') break
    expect(await opened(city)).toBe(3)
  })

  test('starts the agent that its files want from now on', async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', '')
    await restart(world)
    await runs(city)
    expect(await opened(city)).toBe(1)
    const agent = '[[agent]]\nname = "ann"\nstart_command = "exec sleep 600"\nmin_active_sessions = 1\n'
    writeFileSync(join(city.path, 'city.toml'), `[workspace]\nname = "mill"\n${agent}`)
    const sessions = async () => (await city.call('GET ~/sessions?state=active')).body.total
    await eventually(
      'the city is opened',
      15_000,
      () => opened(city),
      (n) => n === 2,
    )
    await eventually('the agent runs', 15_000, sessions, (n) => n === 1)
  })

  test('runs an order when it is due', async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', '')
    const done = world.folder.at('done')
    mkdirSync(join(city.path, 'orders'))
    const order = `[order]\ntrigger = "cooldown"\ninterval = "8s"\nexec = "echo x >> ${done}"\n`
    writeFileSync(join(city.path, 'orders', 'sweep.toml'), order)
    const lines = () => (existsSync(done) ? readFileSync(done, 'utf8').length / 2 : 0)
    await until(() => lines() === 1)
    await restart(world)
    await until(() => lines() === 2, 20_000)
  })

  test('can be stopped, started and unregistered', async () => {
    await using world = await World.open()
    const [city, other] = [await world.city('mill'), await world.city('other')]
    await restart(world)
    for (const each of [city, other]) await runs(each)
    expect((await city.call('POST ~/stop')).status).toBe(202)
    await eventually(
      'it is stopped',
      15_000,
      () => listed(city),
      ({ status }) => status === 'stopped',
    )
    expect((await city.call('POST ~/start')).status).toBe(202)
    await up(city)
    const accepted = await other.call('POST ~/unregister')
    expect((await world.outcome('/v0/events', accepted.body)).type).toBe('request.result.city.unregister')
    expect(await listed(other)).toBeUndefined()
    expect((await world.call('POST /v0/city/register', { body: { path: city.path } })).status).toBe(409)
  })
})

test('a city opens with the start if its sessions run, an agent must, or its services do', async () => {
  await using world = await World.open()
  const agent = '[[agent]]\nname = "ann"\nstart_command = "exec sleep 600"\nmin_active_sessions = 1\n'
  const city = await register(world, 'mill', agent)
  const running = async () => (await city.call('GET ~/sessions?state=active')).body.total
  await eventually('the agent runs', 15_000, running, (n) => n === 1)
  await restart(world)
  await eventually(
    'it is opened',
    15_000,
    () => opened(city),
    (n) => n === 2,
  )
  await eventually('the agent runs again', 15_000, running, (n) => n === 1)
})

test.each([
  ['damaged', (path: string) => truncateSync(path, statSync(path).size - 4096)],
  ['removed', (path: string) => rmSync(path)],
])('a start reports a city whose database was %s while it rested', async (_, harm) => {
  await using world = await World.open()
  const city = await world.city('mill')
  await restart(world)
  await runs(city)
  await world.stop()
  harm(join(city.path, '.gc/city.db'))
  await world.start()
  const seen = await eventually(
    'it failed',
    15_000,
    () => listed(city),
    ({ status }) => status === 'init_failed',
  )
  expect(seen?.error ?? (await listed(city)).error).toContain('city.db')
  const { status, body } = await city.call('GET ~/beads')
  expect([status, body.code]).toEqual([404, 'city-not-found'])
})
