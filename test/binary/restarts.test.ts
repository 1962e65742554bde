import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Lock } from '../../src/core/lock.ts'
import { up } from '../slow/town.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type TestCity, World } from '../support/world.ts'
import { type LentSession, lend, lentSession } from './lent-session.ts'

/** Gives a city so many events to archive when it starts that its start takes about a second for each archive. */
function slowDown(city: TestCity, archives = 1): void {
  using db = new Database(database(city))
  db.run(`INSERT INTO events (type, at, actor, payload)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    SELECT 'test.noise', 1, 'test', '{}' FROM n`)
  const add = db.prepare(
    `INSERT INTO event_archives (last_seq, first_seq, path, at) SELECT max(seq) - ?1, 1, 'archive-' || ?1, 1 FROM events`,
  )
  for (let n = 0; n < archives; n++) add.run(n)
}

/** As after a crash before the registry had them. */
function forgetTokens(world: World): void {
  using db = new Database(registry(world))
  db.run('DELETE FROM tokens')
}

function liveTokens(world: World): number {
  using db = new Database(registry(world), { readonly: true })
  return db.query<{ n: number }, []>('SELECT count(*) AS n FROM tokens WHERE expires_at IS NULL').get()?.n ?? 0
}

const registry = ({ home }: World): string => join(home, 'supervisor.db')
const database = ({ path }: TestCity): string => join(path, '.gc/city.db')
const own = ({ city, session, token }: LentSession): Promise<Answer> => city.call(`GET ~/session/${session}`, { token })
const brief = ({ status, body, headers }: Answer) => ({
  status,
  ...(status >= 400 && { code: body.code }),
  ...(headers.has('retry-after') && { retryAfter: headers.get('retry-after') }),
  ...(headers.has('x-gc-city-failed') && { failed: headers.get('x-gc-city-failed') }),
})
const ENDED = { status: 401, code: 'unauthorized' }
const STARTING = { status: 404, code: 'city-not-found', retryAfter: '1' }
const unknown = `gcs_${'0'.repeat(64)}`

describe('after the supervisor was killed', () => {
  test('a session waits while its city is being loaded, and is never told that it has ended', async () => {
    await using world = await World.open()
    const town = await lentSession(world, 'mill')
    await world.kill()
    slowDown(town.city)
    await world.start()
    const answers = Promise.all([own(town), own(town), own(town)])
    expect(brief(await town.city.call('GET ~'))).toEqual(STARTING)
    expect((await answers).map(brief)).toEqual([{ status: 200 }, { status: 200 }, { status: 200 }])
  })

  test('a session must try again when its city takes longer to load than five seconds', async () => {
    await using world = await World.open()
    const town = await lentSession(world, 'mill')
    await world.kill()
    slowDown(town.city, 100)
    await world.start()
    const { status, headers, body } = await own(town)
    expect(brief({ status, headers, body })).toEqual({ status: 503, code: 'service-unavailable', retryAfter: '1' })
    expect(body.detail).toContain('being loaded')
    await world.kill()
  })

  test('a city that is being loaded is not found yet, and every answer says that it is starting', async () => {
    await using world = await World.open()
    const city = await world.city('mill')
    await world.kill()
    slowDown(city, 100)
    await world.start()
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
    const answers = await Promise.all([
      city.call('GET ~'),
      city.call('GET ~/beads'),
      city.call('GET ~/beads?index=1&wait=1s'),
      city.call('POST ~/beads', { body: { title: 'early' } }),
      city.call('GET ~/events/stream'),
      city.call('GET ~/session/mi-1/terminal', {
        headers: { ...upgrade, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
      }),
      city.call('GET ~/svc/echo/'),
    ])
    for (const answer of answers) {
      expect(brief(answer)).toEqual(STARTING)
      expect(answer.body.detail).toBe('not_found: city not found or not running: mill (starting)')
    }
    expect(brief(await world.call('GET /v0/city/nowhere'))).toEqual({ status: 404, code: 'city-not-found' })
    await world.kill()
  })

  test('a token that ended is rejected immediately, and an unknown one when every city is loaded', async () => {
    await using world = await World.open()
    const town = await lentSession(world, 'mill')
    const ended = town.token
    town.token = await lend(town.city, town.session)
    await world.kill()
    slowDown(town.city)
    await world.start()
    const [over, person, stranger] = await Promise.all([
      town.city.call('GET ~/sessions', { token: ended }),
      town.city.call('GET ~'),
      town.city.call('GET ~/sessions', { token: unknown }),
    ])
    expect([over, person, stranger].map(brief)).toEqual([ENDED, STARTING, ENDED])
    expect(brief(await town.city.call('GET ~'))).toEqual({ status: 200 })
    expect(brief(await own(town))).toEqual({ status: 200 })
  })

  test('a token that the registry does not have yet waits as well, and is there when the city is open', async () => {
    await using world = await World.open()
    const town = await lentSession(world, 'mill')
    await world.kill()
    forgetTokens(world)
    slowDown(town.city)
    await world.start()
    expect(brief(await own(town))).toEqual({ status: 200 })
    await eventually(
      'the registry has the token',
      5_000,
      async () => liveTokens(world),
      (live) => live === 1,
    )
  })

  test('sessions of a city that cannot be loaded wait for it, and those of other cities continue', async () => {
    await using world = await World.open()
    const broken = await lentSession(world, 'mill')
    const ended = broken.token
    broken.token = await lend(broken.city, broken.session)
    const sound = await lentSession(world, 'bakery')
    await world.kill()
    const lock = Lock.acquire(join(broken.city.path, '.gc/lock'), 'a test')
    await world.start()
    await up(sound.city)
    const failed = { status: 503, code: 'service-unavailable', retryAfter: '5', failed: 'mill' }
    expect(brief(await own(broken))).toEqual(failed)
    expect(brief(await world.call('GET /health', { token: broken.token }))).toEqual(failed)
    expect((await own(broken)).body.detail).toContain('mill')
    expect(brief(await broken.city.call('GET ~/sessions', { token: ended }))).toEqual(ENDED)
    expect(brief(await sound.city.call('GET ~/sessions', { token: unknown }))).toEqual(failed)
    expect(brief(await own(sound))).toEqual({ status: 200 })
    lock.release()
    await world.call('POST /v0/city/register', { body: { path: broken.city.path } })
    await up(broken.city)
    expect(brief(await own(broken))).toEqual({ status: 200 })
  })

  test('a token of a city that is unregistered is no one’s, and good again once the city is registered', async () => {
    await using world = await World.open()
    const town = await lentSession(world, 'mill')
    const gone = await world.call('POST /v0/city/mill/unregister')
    await world.outcome('/v0/events', gone.body)
    expect(brief(await town.city.call('GET ~', { token: town.token }))).toEqual(ENDED)
    expect(liveTokens(world)).toBe(0)
    const back = await world.call('POST /v0/city/register', { body: { path: town.city.path, name: 'moved' } })
    await world.outcome('/v0/events', back.body)
    expect(brief(await world.call(`GET /v0/city/moved/session/${town.session}`, { token: town.token }))).toEqual({
      status: 200,
    })
  })
})
