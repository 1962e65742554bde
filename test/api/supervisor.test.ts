import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, TestCity, World } from '../support/world.ts'
import { bead, declare, startSession } from './town.ts'

describe('GET /health and /v0/cities', () => {
  test('report the start-up progress of the first city', async () => {
    await using world = await World.open()
    const empty = await world.call('GET /health')
    expect(empty.body).toMatchObject({ status: 'ok', cities_total: 0, cities_running: 0 })
    expect(empty.body.startup).toBeUndefined()
    expect((await world.call('GET /v0/cities')).body).toEqual({ items: [], total: 0 })
    const city = await world.city()
    const { body } = await world.call('GET /health')
    expect(body).toMatchObject({ cities_total: 1, cities_running: 1, startup: { ready: true, phase: 'running' } })
    expect(body.startup.phases_completed).toHaveLength(5)
    expect((await world.call('GET /v0/cities')).body.items).toEqual([{ name: 'town', path: city.path, running: true }])
  })
})

describe('POST /v0/city', () => {
  test('creates the city, responds 202, and ends with exactly one event', async () => {
    await using world = await World.open()
    const accepted = await world.call('POST /v0/city', { body: { dir: world.folder.at('alpha'), provider: 'claude' } })
    expect(accepted.status).toBe(202)
    expect(accepted.body.request_id).toMatch(/^req-[0-9a-f]{24}$/)
    const outcome = await world.outcome('/v0/events', accepted.body)
    expect(outcome).toMatchObject({
      type: 'request.result.city.create',
      subject: 'alpha',
      actor: 'human',
      city: 'alpha',
    })
    expect(outcome.payload).toMatchObject({ name: 'alpha', path: world.folder.at('alpha') })
    const all = (await world.call('GET /v0/events')).body.items
    const about = all.filter((event: { payload: { request_id?: string } }) => event.payload.request_id)
    expect(about).toHaveLength(1)
    expect(all.map(({ type }: { type: string }) => type)).toContain('city.created')
    expect((await world.call('GET /v0/city/alpha')).body).toMatchObject({ name: 'alpha', provider: 'claude' })
    expect(existsSync(world.folder.at('alpha', 'city.toml'))).toBe(true)
  })

  test('rejects invalid requests and changes nothing', async () => {
    await using world = await World.open()
    await world.city('alpha')
    const before = (await world.call('GET /v0/events')).body.total
    const errorOf = async (body: unknown) => {
      const { status, body: problem } = await world.call('POST /v0/city', { body })
      return [status, problem.code]
    }
    expect(await errorOf({ dir: world.folder.at('alpha') })).toEqual([409, 'conflict-wrong-state'])
    mkdirSync(world.folder.at('other'))
    expect(await errorOf({ dir: world.folder.at('other', 'alpha') })).toEqual([409, 'conflict-wrong-state'])
    expect(await errorOf({ dir: '' })).toEqual([422, 'validation-failed'])
    expect(await errorOf({ dir: world.folder.at('b'), provider: 'nobody' })).toEqual([422, 'validation-failed'])
    expect(await errorOf({ dir: world.folder.at('b'), provider: 'claude', start_command: 'x' })).toEqual([
      422,
      'validation-failed',
    ])
    expect(await errorOf({ dir: world.folder.at('b'), bootstrap_profile: 'moon' })).toEqual([422, 'validation-failed'])
    writeFileSync(world.folder.at('file'), '')
    expect((await errorOf({ dir: world.folder.at('file') }))[0]).toBeGreaterThanOrEqual(400)
    expect((await world.call('GET /v0/events')).body.total).toBe(before)
    expect(existsSync(world.folder.at('b'))).toBe(false)
    expect((await world.call('GET /v0/cities')).body.total).toBe(1)
  })

  test('neither loses nor repeats the terminal event when there is a crash after the 202', async () => {
    await using world = await World.open()
    const { body } = await world.call('POST /v0/city', { body: { dir: world.folder.at('alpha') } })
    await world.kill()
    await world.start()
    const outcome = await world.outcome('/v0/events', { ...body, event_cursor: '__supervisor__:0' })
    expect(outcome.type).toBe('request.result.city.create')
    await world.kill()
    await world.start()
    const items = (await world.call('GET /v0/events')).body.items
    expect(items.filter((event: { payload: Record<string, unknown> }) => event.payload.request_id)).toHaveLength(1)
  })
})

describe('POST /v0/city/register', () => {
  test('restores an unregistered city completely', async () => {
    await using world = await World.open()
    const city = await world.city()
    const bead = (await city.call('POST ~/beads', { body: { title: 'stays' } })).body
    const gone = await world.call('POST /v0/city/town/unregister')
    expect(gone.status).toBe(202)
    expect((await world.outcome('/v0/events', gone.body)).type).toBe('request.result.city.unregister')
    expect((await city.call('GET ~')).status).toBe(404)
    expect((await world.call('GET /v0/cities')).body.total).toBe(0)
    const back = await world.call('POST /v0/city/register', { body: { path: city.path } })
    expect((await world.outcome('/v0/events', back.body)).type).toBe('request.result.city.create')
    expect((await city.call(`GET ~/bead/${bead.id}`)).body.title).toBe('stays')
  })

  test('under another name renames the same city, for its sessions as well', async () => {
    await using world = await World.open()
    const city = await world.city('first')
    const gone = await world.call('POST /v0/city/first/unregister')
    await world.outcome('/v0/events', gone.body)
    for (const name of ['a/b', '__supervisor__', 'a,b', '']) {
      const { status } = await world.call('POST /v0/city/register', { body: { path: city.path, name } })
      expect([name, status >= 400 && status < 500]).toEqual([name, true])
    }
    const accepted = await world.call('POST /v0/city/register', { body: { path: city.path, name: 'second' } })
    expect((await world.outcome('/v0/events', accepted.body)).type).toBe('request.result.city.create')
    const second = new TestCity(world, 'second', city.path)
    await declare(second, 'mayor')
    const { token } = await startSession(second, 'mayor')
    const id = await bead(second, 'work')
    expect((await second.call(`POST ~/bead/${id}/claim`, { token })).status).toBe(200)
    expect((await second.call('GET ~/config')).body.workspace).toMatchObject({ name: 'second' })
  })

  test('rejects a folder without a city, and a relative path', async () => {
    await using world = await World.open()
    mkdirSync(world.folder.at('empty'))
    const { status, body } = await world.call('POST /v0/city/register', { body: { path: world.folder.at('empty') } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.detail).toContain('city.toml')
    const relative = await world.call('POST /v0/city/register', { body: { path: 'somewhere' } })
    expect([relative.status, relative.body.code]).toEqual([422, 'validation-failed'])
  })
})

describe('POST ~/unregister', () => {
  test('responds 404 for an unknown city', async () => {
    await using world = await World.open()
    const { status, body } = await world.call('POST /v0/city/nowhere/unregister')
    expect([status, body.code]).toEqual([404, 'city-not-found'])
    expect(body.detail).toBe('not_found: city not found or not running: nowhere')
  })
})

describe('start-up', () => {
  test('shows a broken city that never had a good configuration as failed, and does not affect the others', async () => {
    await using world = await World.open()
    const good = await world.city('good')
    const bad = await world.city('bad')
    await world.kill()
    writeFileSync(`${bad.path}/city.toml`, '[workspace]\nname = "bad"\nprefix = 1\n')
    rmSync(`${bad.path}/.gc/last-good.json`)
    await world.start()
    await good.call('GET ~/events?index=0&wait=10s')
    const items = await settled(world)
    expect(items).toMatchObject([
      { name: 'bad', running: false, status: 'init_failed' },
      { name: 'good', running: true },
    ])
    expect(items[0]?.error).toContain('city.toml:3')
    expect((await bad.call('GET ~')).status).toBe(404)
    expect((await good.call('POST ~/beads', { body: { title: 'works' } })).status).toBe(201)
    writeFileSync(`${bad.path}/city.toml`, '[workspace]\nname = "bad"\n')
    const again = await world.call('POST /v0/city/register', { body: { path: bad.path } })
    expect((await world.outcome('/v0/events', again.body)).type).toBe('request.result.city.create')
    expect((await bad.call('GET ~')).status).toBe(200)
  })

  test('shows a city whose folder is gone as failed', async () => {
    await using world = await World.open()
    const city = await world.city()
    await world.kill()
    rmSync(city.path, { recursive: true })
    await world.start()
    expect(await settled(world)).toMatchObject([{ name: 'town', running: false, status: 'init_failed' }])
  })

  test('records how the previous run ended', async () => {
    await using world = await World.open()
    await world.kill()
    await world.start()
    const { items } = (await world.call('GET /v0/events?type=supervisor.started')).body
    expect(items.map(({ payload }: { payload: unknown }) => payload)).toEqual([
      { previous_exit: 'unknown' },
      { previous_exit: 'crash' },
    ])
  })

  test('fails with a message when another supervisor has the same home or port', async () => {
    await using world = await World.open()
    const again = Bun.spawn([...PROGRAM, 'serve', '--port', '0', '--home', world.home], {
      stderr: 'pipe',
      stdout: 'pipe',
    })
    expect(await again.exited).toBe(1)
    expect(await new Response(again.stderr).text()).toContain('is held by gc serve')
    const port = new URL(world.url).port
    const other = Bun.spawn([...PROGRAM, 'serve', '--port', port, '--home', world.folder.at('other')], {
      stderr: 'pipe',
      stdout: 'pipe',
    })
    expect(await other.exited).toBe(1)
    expect(await new Response(other.stderr).text()).toContain('another program listens there')
  })

  test('on an address other than loopback requires a token', async () => {
    await using world = await World.open()
    const open = Bun.spawn([...PROGRAM, 'serve', '--host', '0.0.0.0', '--port', '0', '--home', world.folder.at('o')], {
      stderr: 'pipe',
      stdout: 'pipe',
    })
    expect(await open.exited).toBe(1)
    expect(await new Response(open.stderr).text()).toContain('--require-token')
  })
})

describe('access to the server', () => {
  test('requires a token with --require-token', async () => {
    await using world = await World.open('--require-token')
    expect((await world.call('GET /v0/cities')).status).toBe(401)
    expect((await world.call('GET /v0/cities', { token: 'gcs_nobody' })).status).toBe(401)
    expect((await world.call('GET /v0/cities', { token: world.operatorToken })).status).toBe(200)
  })

  test('is denied with 401 for an unknown token, never treated as anonymous', async () => {
    await using world = await World.open()
    const { status, body } = await world.call('GET /v0/cities', { token: 'gco_made_up' })
    expect([status, body.code]).toEqual([401, 'unauthorized'])
  })

  test('is read-only on a read-only server', async () => {
    await using world = await World.open('--read-only')
    const { status, body } = await world.call('POST /v0/city', { body: { dir: '/x' } })
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.detail).toStartWith('read_only:')
  })

  test('does not expose the files of the home to other users', async () => {
    await using world = await World.open()
    const mode = (name: string) => Bun.file(`${world.home}/${name}`).stat()
    expect((await mode('token')).mode & 0o777).toBe(0o600)
    expect((await mode('')).mode & 0o777).toBe(0o700)
    expect(readFileSync(`${world.home}/token`, 'utf8')).toMatch(/^gco_[0-9a-f]{64}\n$/)
  })
})

describe('the folder of a new city', () => {
  test('is an absolute path without detours, and anything else changes nothing', async () => {
    await using world = await World.open()
    const total = async () => (await world.call('GET /v0/events')).body.total
    const before = await total()
    const at = world.folder.at
    for (const dir of [
      'town',
      './town',
      '~/town',
      '../town',
      `${at('x')}/../town`,
      `${at()}//town`,
      `${at('town')}/.`,
      '/a\nb',
    ]) {
      for (const [operation, field] of [
        ['POST /v0/city', 'dir'],
        ['POST /v0/city/register', 'path'],
      ] as const) {
        const { status, body } = await world.call(operation, { body: { [field]: dir } })
        const message = expect.stringContaining(`${field} must be the absolute path`)
        expect([dir, status, body.errors]).toEqual([dir, 422, [{ message, location: `body.${field}` }]])
      }
    }
    expect(existsSync(world.folder.at('user', 'town'))).toBe(false)
    expect([await total(), (await world.call('GET /v0/cities')).body.total]).toEqual([before, 0])
    const { body } = await world.call('POST /v0/city', { body: { dir: `${at('town')}/`, start_command: 'true' } })
    await world.outcome('/v0/events', body)
    expect((await world.call('GET /v0/city/town')).body.path).toBe(at('town'))
  }, 20_000)
})

describe('the agents’ network', () => {
  test('is served by the supervisor under separate paths', async () => {
    await using world = await World.open()
    expect((await fetch(`${world.url}/api/v1/health`)).status).toBe(200)
    expect((await world.call('GET /health')).body.version).toBeString()
  })

  test('can have a separate address, and is then not served by the supervisor', async () => {
    await using world = await World.open('--social-listen', '0')
    expect((await fetch(`${world.url}/api/v1/health`)).status).toBe(404)
    const network = await world.waitForOutput(/network answers at (http:\S+)\./)
    expect((await fetch(`${network}/api/v1/health`)).status).toBe(200)
    expect((await fetch(`${network}/v0/cities`)).status).toBe(404)
  })

  test('that cannot be opened is reported and affects no city', async () => {
    await using world = await World.open()
    const city = await world.city()
    await world.kill()
    writeFileSync(`${world.home}/social.toml`, 'nonsense = [')
    await world.start('--social-listen', '127.0.0.1:0', '--public-listen', '127.0.0.1:0')
    expect(await world.waitForOutput(/([\s\S]*) other machines at/)).not.toContain('network answers')
    const address = JSON.parse(readFileSync(`${world.home}/supervisor.json`, 'utf8')).social
    for (const path of ['/', '/api/v1/health', '/api/v1/posts', '/posts']) {
      const response = await fetch(`${address}${path}`)
      expect([path, response.status, Object(await response.json()).code]).toEqual([path, 503, 'SERVICE_UNAVAILABLE'])
    }
    expect(world.log).toContain('network is not served')
    await settled(world)
    expect((await city.call('GET ~')).status).toBe(200)
  })

  test('runs alone with --only social', async () => {
    using folder = tempFolder()
    const alone = Bun.spawn([...PROGRAM, 'serve', '--only', 'social', '--port', '0', '--home', folder.path], {
      stdout: 'pipe',
    })
    const { value } = await alone.stdout.getReader().read()
    const url = /answers at (http:\S+);/.exec(new TextDecoder().decode(value))?.[1]
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(200)
    expect((await fetch(`${url}/health`)).status).not.toBe(200)
    alone.kill('SIGTERM')
    expect(await alone.exited).toBe(0)
    expect(existsSync(folder.at('supervisor.db'))).toBe(false)
  })
})

/** The cities, once none is starting any more. */
async function settled(world: World): Promise<{ name: string; status?: string; error?: string; running: boolean }[]> {
  for (let tries = 0; tries < 1000; tries++) {
    const { items } = (await world.call('GET /v0/cities')).body
    if (items.every((city: { running: boolean; error?: string }) => city.running || city.error)) return items
    await Bun.sleep(50)
  }
  throw new Error('a city is still starting')
}

describe('POST ~/stop and ~/start', () => {
  const stateOf = async (world: World, name: string) =>
    (await world.call('GET /v0/cities')).body.items.find((city: { name: string }) => city.name === name)
  const stopped = (world: World, name: string) =>
    eventually(
      `${name} is stopped`,
      10_000,
      () => stateOf(world, name),
      ({ status }) => status === 'stopped',
    )

  test('end the sessions of one city, which stays stopped until it is started', async () => {
    await using world = await World.open()
    const [city, other] = [await world.city('one'), await world.city('two')]
    await declare(city, 'mayor')
    const { id } = await startSession(city, 'mayor')
    expect((await world.call('GET /v0/host')).body.items).toMatchObject([{ sessions: 1 }])
    const response = await city.call('POST ~/stop')
    expect([response.status, response.body]).toEqual([202, { status: 'stopping' }])
    expect(await stopped(world, 'one')).toEqual({ name: 'one', path: city.path, running: false, status: 'stopped' })
    expect(
      (await world.call('GET /v0/host')).body.items.map((host: { sessions: number }) => host.sessions),
    ).not.toContain(1)
    const { status, body } = await city.call('GET ~')
    expect([status, body.detail]).toEqual([404, expect.stringContaining('`gc start one` starts it')])
    expect((await other.call('GET ~')).status).toBe(200)
    expect((await world.call('GET /health')).body.startup).toMatchObject({ ready: true })
    expect((await city.call('POST ~/stop')).body).toEqual({ status: 'stopped' })
    const away = await city.call('GET ~')
    expect([away.status, away.headers.get('retry-after'), away.body.detail]).toEqual([
      404,
      null,
      'not_found: city not found or not running: one (it is stopped; `gc start one` starts it)',
    ])

    await world.kill()
    await world.start()
    expect(await stateOf(world, 'one')).toMatchObject({ running: false, status: 'stopped' })
    const started = await city.call('POST ~/start')
    expect((await world.outcome('/v0/events', started.body)).type).toBe('request.result.city.create')
    const { items } = (await city.call('GET ~/events?type=controller.stopped')).body
    expect(items).toHaveLength(1)
    expect((await city.call(`GET ~/session/${id}`)).body).toMatchObject({ id, running: false })
  }, 30_000)

  test('a city that is started while it still stops is up in the end', async () => {
    await using world = await World.open()
    const city = await world.city('one')
    await city.call('POST ~/stop')
    const started = await city.call('POST ~/start')
    expect((await world.outcome('/v0/events', started.body)).type).toBe('request.result.city.create')
    expect(await stateOf(world, 'one')).toEqual({ name: 'one', path: city.path, running: true })
  })

  test('reject an unknown city, a running one to start, and every session', async () => {
    await using world = await World.open()
    const city = await world.city('one')
    expect((await world.call('POST /v0/city/none/stop')).body.code).toBe('city-not-found')
    expect((await world.call('POST /v0/city/none/start')).body.code).toBe('city-not-found')
    expect((await city.call('POST ~/start')).body.code).toBe('conflict-wrong-state')
    await declare(city, 'mayor')
    const { token } = await startSession(city, 'mayor')
    for (const verb of ['stop', 'start']) expect((await city.call(`POST ~/${verb}`, { token })).status).toBe(403)
    expect(await stateOf(world, 'one')).toMatchObject({ running: true })
  })
})
