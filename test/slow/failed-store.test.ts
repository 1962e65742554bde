import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type TestCity, World } from '../support/world.ts'
import { FailingDisk } from './failing-disk.ts'

const titles = async (city: TestCity): Promise<string[]> =>
  (await city.call('GET ~/beads?limit=1000')).body.items.map(({ title }: { title: string }) => title).sort()

const create = (city: TestCity, title: string): Promise<Answer> => city.call('POST ~/beads', { body: { title } })

/** City as listed by the registry. */
const listed = async (world: World, name: string) =>
  (await world.call('GET /v0/cities')).body.items.find((item: { name: string }) => item.name === name)

describe('a full disk', () => {
  const FULL = 28
  const full = (folder: string) => expect.stringContaining(`the disk is full: no space is left in ${folder}`)

  test('shows everywhere with what to do while reads continue, and no longer once there is room', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const [city, other] = [await world.city('town'), await world.city('calm')]
    expect((await create(city, 'kept')).status).toBe(201)
    const head = await city.head()
    disk.rejectWrites(FULL, 'town/.gc/city.db')
    const reason = full(`${city.path}/.gc`)
    for (let n = 0; n < 3; n++) {
      const { status, headers, body } = await create(city, 'lost')
      expect([status, body.code, body.detail]).toEqual([503, 'store-unavailable', reason])
      expect(headers.get('retry-after')).toBe('5')
    }
    expect([await titles(city), await city.recorded(head)]).toEqual([['kept'], []])
    expect((await world.call('GET /health')).body.status).toEqual(reason)
    expect((await city.call('GET ~/health')).body.status).toEqual(reason)
    expect((await city.call('GET ~/status')).body.partial_errors).toEqual([reason])
    expect((await runGc(world, '--city', 'town', 'status')).err).toEqual(reason)
    expect((await city.call('GET ~/attention')).body.items).toContainEqual(
      expect.objectContaining({ kind: 'store', asks: reason, to_do: 'free some space there, and writes resume' }),
    )
    expect(await listed(world, 'town')).toMatchObject({ running: true, error: reason })
    expect((await runGc(world, 'start', 'town')).err).toEqual(reason)
    expect((await create(other, 'goes on')).status).toBe(201)

    disk.fail('')
    await eventually(
      'the city notices, without a write of anybody',
      20_000,
      () => city.call('GET ~/health'),
      ({ body }) => body.status === 'ok',
    )
    expect((await world.call('GET /health')).body.status).toBe('ok')
    expect((await city.call('GET ~/attention')).body.items).not.toContainEqual(
      expect.objectContaining({ kind: 'store' }),
    )
    expect(await listed(world, 'town')).toEqual({ name: 'town', path: city.path, running: true })
    expect((await create(city, 'works again')).status).toBe(201)
  }, 60_000)

  test.each([
    ['supervisor.db', 'POST /v0/city/town/unregister', {}],
    ['social.db', 'POST /api/v1/agents/register', { body: { name: 'late', description: 'An agent.' } }],
  ])(
    'of %s shows in the health of the supervisor',
    async (file, operation, options) => {
      using folder = tempFolder()
      const disk = new FailingDisk(folder)
      await using world = await World.with(disk.env)
      const city = await world.city('town')
      await world.call('POST /api/v1/agents/register', { body: { name: 'early', description: 'An agent.' } })
      disk.rejectWrites(FULL, file)
      const { status, body } = await world.call(operation, options)
      expect(status).toBe(503)
      if (file === 'social.db') expect(JSON.stringify(body)).not.toContain(world.home)
      expect((await world.call('GET /health')).body.status).toEqual(full(world.home))
      expect((await create(city, 'goes on')).status).toBe(201)
      disk.fail('')
      await eventually(
        'it is noticed',
        20_000,
        () => world.call('GET /health'),
        (answer) => answer.body.status === 'ok',
      )
    },
    60_000,
  )

  test('is not the only one: a disk that rejects writes for another reason shows as such', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const city = await world.city('town')
    const EIO = 5
    disk.rejectWrites(EIO, 'town/.gc/city.db')
    const { status, body } = await create(city, 'lost')
    expect([status, body.detail]).toEqual([
      503,
      expect.stringContaining('city.db could not be written: disk I/O error'),
    ])
    expect((await city.call('GET ~/health')).body.status).toContain('disk I/O error')
    disk.fail('')
    expect((await create(city, 'works again')).status).toBe(201)
    expect((await city.call('GET ~/health')).body.status).toBe('ok')
  }, 60_000)
})

describe('a disk that fails', () => {
  test('makes a city say so everywhere, and show only what is on disk, until it is opened again', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const [city, other] = [await world.city('town'), await world.city('calm')]
    for (let n = 0; n < 50; n++) expect((await create(city, `kept ${n}`)).status).toBe(201)
    const kept = await titles(city)
    const head = await city.head()
    disk.fail('town/.gc/city.db')
    const tried = await Promise.all(Array.from({ length: 20 }, (_, n) => create(city, `lost ${n}`)))
    for (const { status, body } of tried) expect([status, body.code]).toEqual([503, 'store-unavailable'])
    expect([await titles(city), await city.recorded(head)]).toEqual([kept, []])
    const { headers, body: newest } = await city.call('GET ~/events?limit=1')
    expect(headers.get('x-gc-index')).toBe(`${newest.items[0].seq}`)

    const reason = expect.stringContaining('did not reach the disk')
    expect((await world.call('GET /health')).body.status).toEqual(reason)
    expect((await city.call('GET ~/health')).body.status).toEqual(reason)
    expect((await city.call('GET ~/status')).body.partial_errors).toEqual([reason])
    expect((await city.call('GET ~/attention')).body.items).toContainEqual(
      expect.objectContaining({ kind: 'store', asks: reason }),
    )
    expect(await listed(world, 'town')).toMatchObject({ running: true, error: reason })
    expect((await runGc(world, 'city', 'list')).out).toMatch(/town +failed .*did not reach the disk/)
    expect(await listed(world, 'calm')).toEqual({ name: 'calm', path: other.path, running: true })
    expect((await create(other, 'goes on')).status).toBe(201)

    disk.fail('')
    expect((await create(city, 'still not')).status).toBe(503)
    expect((await runGc(world, 'register', city.path)).status).toBe(0)
    expect(await titles(city)).toEqual(kept)
    expect((await create(city, 'works again')).status).toBe(201)
    expect((await world.call('GET /health')).body.status).toBe('ok')
    const { items } = (await city.call('GET ~/attention')).body
    expect(items).not.toContainEqual(expect.objectContaining({ kind: 'store' }))
  }, 60_000)

  test('is reported immediately to anyone who makes a city on it', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    disk.fail('town/.gc/city.db')
    const { status, err } = await runGc(world, 'init', world.folder.at('town'))
    expect(status).toBe(1)
    expect(err).toContain('town/.gc/city.db cannot be opened as a database: disk I/O error')
  }, 60_000)

  test('shows the same after a crash, whenever it failed', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const city = await world.city('town')
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 20 * round; n++) await create(city, `kept ${round} ${n}`)
      const kept = await titles(city)
      disk.fail('town/.gc/city.db')
      expect((await create(city, `lost ${round}`)).status).toBe(503)
      expect(await titles(city)).toEqual(kept)
      await world.kill()
      disk.fail('')
      await world.start()
      await eventually(
        'the city',
        10_000,
        () => city.call('GET ~'),
        ({ status }) => status === 200,
      )
      expect(await titles(city)).toEqual(kept)
    }
  }, 60_000)

  test('makes the network say so, and show only what is on disk', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const register = (name: string) =>
      world.call('POST /api/v1/agents/register', { body: { name, description: 'An agent.' } })
    expect((await register('early')).status).toBe(201)
    disk.fail('social.db')
    expect((await register('late')).status).toBe(503)
    const seen = await world.call('GET /api/v1/agents/profile?name=late')
    expect(seen.status).not.toBe(200)
    const health = await world.call('GET /api/v1/health')
    expect([health.status, health.body.success]).toEqual([503, false])
    expect(JSON.stringify(health.body)).not.toContain(world.home)
    await world.kill()
    disk.fail('')
    await world.start()
    expect((await world.call('GET /api/v1/health')).status).toBe(200)
    expect((await register('late')).status).toBe(201)
  }, 60_000)

  test('makes the supervisor say so when it is the one of its registry', async () => {
    using folder = tempFolder()
    const disk = new FailingDisk(folder)
    await using world = await World.with(disk.env)
    const city = await world.city('town')
    const { total } = (await world.call('GET /v0/events')).body
    disk.fail('supervisor.db')
    const { status } = await world.call('POST /v0/city', {
      body: { dir: world.folder.at('new'), start_command: 'true' },
    })
    expect(status).toBe(503)
    expect((await world.call('GET /health')).body.status).toContain('did not reach the disk')
    expect([(await world.call('GET /v0/cities')).body.total, (await world.call('GET /v0/events')).body.total]).toEqual([
      1,
      total,
    ])
    expect((await create(city, 'goes on')).status).toBe(201)
    disk.fail('')
  }, 60_000)
})

test('a configuration that cannot be put on disk leaves no other file behind', async () => {
  using folder = tempFolder()
  const disk = new FailingDisk(folder)
  await using world = await World.with(disk.env)
  const city = await world.city('town')
  const files = () =>
    readdirSync(city.path, { recursive: true })
      .filter((name) => !/city\.db|last-good/.test(String(name)))
      .sort()
  const before = files()
  const rig = { name: 'shop', path: world.rigFolder('shop', { git: true }) }
  for (const [part, operation, body] of [
    ['.gc/.site.toml.', 'POST ~/rigs', rig],
    ['.agent.toml.', 'POST ~/agents', { name: 'clerk', provider: 'claude' }],
  ] as const) {
    disk.fail(part)
    const { status, body: problem } = await city.call(operation, { body })
    expect([status, problem.detail]).toEqual([409, expect.stringContaining('could not be written, and is as it was')])
    expect(files()).toEqual(before)
    disk.fail('')
    expect((await city.call(operation, { body })).status).toBe(201)
    before.splice(0, before.length, ...files())
  }
}, 30_000)

describe('a city that is moved or deleted while it runs', () => {
  test('acknowledges nothing more and stops with a sentence; moved back, it continues with all it had', async () => {
    await using world = await World.open()
    const city = await world.city('town')
    for (let n = 0; n < 10; n++) await create(city, `kept ${n}`)
    const kept = await titles(city)
    renameSync(city.path, world.folder.at('elsewhere'))
    const { status, body } = await create(city, 'lost')
    expect([status, body.detail]).toEqual([503, expect.stringContaining('was moved, deleted or replaced')])
    const stopped = await eventually(
      'the city to stop',
      10_000,
      () => listed(world, 'town'),
      (item) => !item.running,
    )
    expect(stopped.error).toContain('was moved, deleted or replaced while it was in use; put it back')
    expect((await runGc(world, 'city', 'list')).out).toContain('was moved, deleted or replaced')
    expect(existsSync(city.path)).toBe(false)
    const elsewhere = new Database(world.folder.at('elsewhere', '.gc', 'city.db'), { readonly: true })
    expect(elsewhere.query("SELECT count(*) AS n FROM beads WHERE title LIKE 'kept%'").get()).toEqual({ n: 10 })
    elsewhere.close()

    const again = await runGc(world, 'register', city.path)
    expect([again.status, again.err]).toEqual([1, expect.stringContaining('is gone')])
    renameSync(world.folder.at('elsewhere'), city.path)
    expect((await runGc(world, 'register', city.path)).status).toBe(0)
    expect(await titles(city)).toEqual(kept)
    expect((await create(city, 'goes on')).status).toBe(201)
  }, 60_000)

  test('leaves another city that takes its place alone', async () => {
    await using world = await World.open()
    const [city, other] = [await world.city('town'), await world.city('other')]
    await create(city, 'first')
    await create(other, 'second')
    await world.outcome('/v0/events', (await world.call('POST /v0/city/other/unregister')).body)
    renameSync(city.path, world.folder.at('elsewhere'))
    renameSync(other.path, city.path)
    const files = readdirSync(join(city.path, '.gc')).sort()
    expect((await create(city, 'lost')).status).toBe(503)
    await eventually(
      'the city to stop',
      10_000,
      () => listed(world, 'town'),
      (item) => !item.running,
    )
    expect(readdirSync(join(city.path, '.gc')).sort()).toEqual(files)
    await world.call('POST /v0/city/town/unregister')
    expect((await runGc(world, 'register', city.path)).status).toBe(0)
    expect(await titles(city)).toEqual(['second'])
  }, 60_000)

  test('does not come back empty when its .gc vanished, and names its last backup', async () => {
    await using world = await World.open()
    const city = await world.city('town')
    await create(city, 'kept')
    const file = world.folder.at('town.tar.gz')
    expect((await runGc(world, 'backup', file, '--city', 'town')).status).toBe(0)
    rmSync(join(city.path, '.gc'), { recursive: true })
    expect((await create(city, 'lost')).status).toBe(503)
    const stopped = await eventually(
      'the city to stop',
      10_000,
      () => listed(world, 'town'),
      (item) => !item.running,
    )
    expect(stopped.error).toContain(file)
    for (const restart of [false, true]) {
      if (restart) {
        await world.kill()
        await world.start()
        await eventually(
          'the city',
          10_000,
          () => listed(world, 'town'),
          (item) => item.error !== undefined,
        )
      }
      const { status, err } = await runGc(world, 'register', city.path)
      expect([status, err]).toEqual([1, expect.stringContaining(`is gone: it was moved or deleted`)])
      expect(err).toContain(`in ${file}`)
      expect(existsSync(join(city.path, '.gc', 'city.db'))).toBe(false)
    }
    expect((await runGc(world, 'unregister', 'town')).status).toBe(0)
    expect((await runGc(world, 'register', city.path)).status).toBe(0)
    expect(await titles(city)).toEqual([])
  }, 60_000)

  test('stops when nothing but its database was replaced', async () => {
    await using world = await World.open()
    const city = await world.city('town')
    await create(city, 'kept')
    renameSync(join(city.path, '.gc', 'city.db'), join(city.path, '.gc', 'old.db'))
    writeFileSync(join(city.path, '.gc', 'city.db'), '')
    expect((await create(city, 'lost')).status).toBe(503)
    await eventually(
      'the city to stop',
      10_000,
      () => listed(world, 'town'),
      (item) => !item.running,
    )
  }, 60_000)
})
