import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { addressOf, pidOf, testService, waitForState } from '../support/services.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

async function openCity(toml: string): Promise<{ world: World; city: TestCity } & AsyncDisposable> {
  const world = await World.open()
  const city = await register(world, 'mill', toml)
  return { world, city, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const fetchText = async (city: TestCity, path: string) => (await fetch(addressOf(city, 'echo', path))).text()

describe('the process of a service', () => {
  test('continues when the supervisor is killed, and the next one reaches it under the same name', async () => {
    await using opened = await openCity(testService('echo'))
    const { world, city } = opened
    await waitForState(city, 'echo', 'ready')
    const pid = await pidOf(city, 'echo')
    await world.kill()
    expect(isAlive(pid)).toBe(true)
    await world.start()
    await waitForState(city, 'echo', 'ready')
    expect(await pidOf(city, 'echo')).toBe(pid)
    expect(await fetchText(city, '/again')).toBe('GET /again')
    const { body: seen } = await city.call('GET ~/service/echo/process')
    expect(seen).toMatchObject({ starts: 1, failures: 0 })
    const { body: events } = await city.call('GET ~/events?type=service.started')
    expect(events.items.map(({ subject }: { subject: string }) => subject)).toEqual(['echo'])
  }, 30_000)

  test('that ends while no one supervises is started again by the next supervisor, which records its end', async () => {
    await using opened = await openCity(testService('echo'))
    const { world, city } = opened
    await waitForState(city, 'echo', 'ready')
    const pid = await pidOf(city, 'echo')
    await world.kill()
    process.kill(pid, 'SIGKILL')
    await world.start()
    const { body } = await eventually(
      'it runs again',
      15_000,
      () => city.call('GET ~/service/echo/process'),
      ({ body: seen }) => seen.pid !== undefined && seen.pid !== pid,
    )
    expect(body).toMatchObject({ starts: 2, last_exit: `ended by SIGKILL: listening, by ${pid}` })
  }, 30_000)

  test('is started again when the session host is killed, with no failure of its own', async () => {
    await using opened = await openCity(testService('echo'))
    const { world, city } = opened
    await waitForState(city, 'echo', 'ready')
    const pid = await pidOf(city, 'echo')
    const { body: hosts } = await world.call('GET /v0/host')
    const host = hosts.items[0].pid
    process.kill(host, 'SIGKILL')
    const { body } = await eventually(
      'it runs again',
      20_000,
      () => city.call('GET ~/service/echo/process'),
      ({ body: seen }) => seen.pid !== undefined && seen.pid !== pid,
    )
    expect(body).toMatchObject({ failures: 0 })
    await waitForState(city, 'echo', 'ready')
    expect(isAlive(pid)).toBe(false)
  }, 40_000)

  test('ends with its city, and with everything', async () => {
    await using opened = await openCity(testService('echo'))
    const { world, city } = opened
    await waitForState(city, 'echo', 'ready')
    const first = await pidOf(city, 'echo')
    await city.call('POST ~/stop')
    await eventually(
      'it ended',
      10_000,
      async () => isAlive(first),
      (alive) => !alive,
    )
    await world.stop()
    expect(isAlive(first)).toBe(false)
  }, 30_000)

  test('is ended when its declaration goes, and started again when its command changes', async () => {
    await using opened = await openCity(testService('echo') + testService('other'))
    const { city } = opened
    await waitForState(city, 'echo', 'ready')
    await waitForState(city, 'other', 'ready')
    const [echo, other] = [await pidOf(city, 'echo'), await pidOf(city, 'other')]
    const changed = testService('echo').replace('test-service.ts"', 'test-service.ts", "--again"')
    await Bun.write(`${city.path}/city.toml`, `[workspace]\nname = "mill"\n${changed}`)
    await city.call('POST ~/config/reload')
    await eventually(
      'another runs',
      15_000,
      () => pidOf(city, 'echo'),
      (pid) => pid > 0 && pid !== echo,
    )
    await eventually(
      'both ended',
      10_000,
      async () => isAlive(other) || isAlive(echo),
      (alive) => !alive,
    )
    expect((await city.call('GET ~/service/other')).status).toBe(404)
  }, 40_000)
})

test('a service that ends immediately is started ever later, waits for a person, and works again when it is fixed', async () => {
  const broken =
    '[[service]]\nname = "echo"\nkind = "proxy_process"\nprocess.command = ["sh", "-c", "echo no database; exit 7"]\n'
  await using opened = await openCity(broken)
  const { city } = opened
  const { body: attention } = await eventually(
    'a person is told',
    20_000,
    () => city.call('GET ~/attention'),
    ({ body }) => body.items.length > 0,
  )
  expect(attention.items).toMatchObject([
    {
      ...{ id: 'service:echo', kind: 'service', to_do: expect.stringContaining('gc service logs echo') },
      asks: expect.stringMatching(
        /^Service echo ended 3 times in a row, last with exit status 7: no database\. It is started again at /,
      ),
    },
  ])
  const response = await fetch(addressOf(city, 'echo'))
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
  const { body: events } = await city.call('GET ~/events?type=service.exited')
  expect(events.items.length).toBeLessThan(5)
  await Bun.write(`${city.path}/city.toml`, `[workspace]\nname = "mill"\n${testService('echo')}`)
  await city.call('POST ~/config/reload')
  await waitForState(city, 'echo', 'ready')
  await eventually(
    'nobody waits',
    5_000,
    () => city.call('GET ~/attention'),
    ({ body }) => body.items.length === 0,
  )
}, 40_000)

test('a service whose process goes is reported to anyone who calls it, and is back a second later', async () => {
  await using opened = await openCity(testService('echo'))
  const { city } = opened
  await waitForState(city, 'echo', 'ready')
  expect(await fetchText(city, '/stop?status=4')).toBe('stopping')
  await eventually(
    'it is down',
    5_000,
    async () => (await fetch(addressOf(city, 'echo'))).status,
    (status) => status !== 200,
  )
  await waitForState(city, 'echo', 'ready')
  expect(await fetchText(city, '/back')).toBe('GET /back')
  const { body } = await city.call('GET ~/service/echo/process')
  expect(body.last_exit).toBe('exit status 4: stopping with 4')
}, 30_000)
