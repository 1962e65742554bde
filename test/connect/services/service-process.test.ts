import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { MAX_FAILURES } from '../../../src/connect/services/back-off.ts'
import { command } from '../../../src/core/store/index.ts'
import { human } from '../../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../../support/city.ts'

const ECHO = '[[service]]\nname = "echo"\nkind = "proxy_process"\nprocess.command = ["echo-server"]\n'

const keysOf = ({ host }: ScriptedTown) => host.running.filter((key) => key.includes(':service/'))
const typesSince = ({ log }: City, head: number) =>
  log
    .after(head, 1_000)
    .map(({ type }) => type)
    .filter((type) => !/^(attention|gc\.store)\./.test(type))

/** Lets the process of the service end automatically, and time pass until it would be started again. */
async function fail(town: ScriptedTown, city: City, ms: number): Promise<void> {
  const [key = ''] = keysOf(town)
  await town.host.exit(key, 7, ['no database'])
  await pass(town, city, ms)
}

/** Lets time pass, and what is due then be done. */
async function pass(town: ScriptedTown, city: City, ms: number): Promise<void> {
  await town.clock.advance(ms)
  await city.services.whenIdle()
}

describe('the process of a service', () => {
  test('is started with its city, and adopted by the next supervisor', async () => {
    await using town = scriptedTown(ECHO)
    const city = await town.open()
    expect(keysOf(town)).toEqual(['mill:service/echo/1'])
    const start = town.host.starts.find(({ key }) => key === 'mill:service/echo/1')
    expect(start).toMatchObject({ kind: 'command', argv: ['echo-server'], cwd: town.path })
    expect(start?.env).toMatchObject({ GC_SERVICE_NAME: 'echo', GC_SERVICE_URL_PREFIX: '/v0/city/mill/svc/echo' })
    await city.close({ endSessions: false })
    const again = await town.open()
    expect(keysOf(town)).toEqual(['mill:service/echo/1'])
    expect(again.services.process('echo')).toMatchObject({ starts: 1, failures: 0 })
  })

  test('is started again ever later, and after ten ends only by a person', async () => {
    await using town = scriptedTown(ECHO)
    const city = await town.open()
    const { head } = city.log
    for (let delay = 1_000, failures = 1; failures < MAX_FAILURES; failures++, delay *= 2) {
      await fail(town, city, delay - 1)
      expect([failures, keysOf(town)]).toEqual([failures, []])
      await pass(town, city, 1)
      expect([failures, keysOf(town)]).toEqual([failures, [`mill:service/echo/${failures + 1}`]])
    }
    await fail(town, city, 24 * 3_600_000)
    expect(keysOf(town)).toEqual([])
    expect(city.services.get('echo')).toMatchObject({ state: 'stopped', local_state: 'restart_failed' })
    expect(city.attention.list().items).toMatchObject([
      {
        id: 'service:echo',
        asks: expect.stringContaining('ended 10 times in a row, last with exit status 7: no database'),
      },
    ])
    const types = typesSince(city, head)
    expect(types.filter((type) => type === 'service.exited')).toHaveLength(10)
    expect(types.filter((type) => type === 'service.started')).toHaveLength(9)
    const before = city.log.head
    await city.services.restart(human, 'echo')
    expect(typesSince(city, before)).toEqual(['service.restarted', 'service.started'])
    expect(city.services.process('echo')).toMatchObject({ failures: 0 })
  })

  test('that worked for a minute begins again with its failures', async () => {
    await using town = scriptedTown(ECHO)
    const city = await town.open()
    for (let times = 0; times < 12; times++) {
      await pass(town, city, 61_000)
      await fail(town, city, 1_000)
    }
    expect(city.services.process('echo')).toMatchObject({ failures: 1, starts: 13 })
  })

  test('continues when another service changes, and is started again when it does itself', async () => {
    await using town = scriptedTown(ECHO)
    const city = await town.open()
    town.declare(ECHO + ECHO.replace('"echo"', '"other"'))
    await city.config.reload()
    await pass(town, city, 10)
    expect(keysOf(town)).toEqual(['mill:service/echo/1', 'mill:service/other/1'])
    town.declare(ECHO.replace('echo-server', 'better-server'))
    await city.config.reload()
    await pass(town, city, 10)
    expect(keysOf(town)).toEqual(['mill:service/echo/2'])
    expect(city.services.list().items?.map(({ service_name }) => service_name)).toEqual(['echo'])
  })

  test('that cannot be started now is tried again without a failure of its own', async () => {
    await using town = scriptedTown(ECHO)
    town.host.startError = 'the host is busy'
    const city = await town.open()
    expect(city.services.process('echo')).toMatchObject({ failures: 0, last_exit: 'the host is busy' })
    town.host.startError = undefined
    await pass(town, city, 5_000)
    expect(keysOf(town)).toHaveLength(1)
  })

  test('waits in a city that an earlier gc had open until a person approves it', async () => {
    await using town = scriptedTown(ECHO)
    const before = await town.open()
    await before.store.write((tx) => void tx.run(command('INSERT INTO order_approval (since) VALUES (0)')))
    await before.close({ endSessions: true })
    const city = await town.open()
    expect(keysOf(town)).toEqual([])
    expect(city.attention.list().items).toMatchObject([
      { id: 'service:echo', asks: 'Service echo is not started: it waits for gc order approve --all.' },
    ])
    expect(city.services.restart(human, 'echo')).rejects.toThrow('service echo is not started')
    await city.store.write((tx) => void city.orderApproval.approve(tx))
    await pass(town, city, 10)
    expect(keysOf(town)).toHaveLength(1)
  })

  test('that runs continues while the city is suspended, and one that does not waits until that is resumed', async () => {
    await using town = scriptedTown(ECHO)
    const before = await town.open()
    await before.status.change(human, { suspended: true })
    expect(keysOf(town)).toHaveLength(1)
    await before.close({ endSessions: true })
    const city = await town.open()
    await pass(town, city, 60_000)
    expect(keysOf(town)).toEqual([])
    expect(city.attention.list().items).toMatchObject([
      { id: 'service:echo', asks: 'Service echo is not started: the city is suspended; gc city resume.' },
    ])
    await city.status.change(human, { suspended: false })
    await pass(town, city, 10)
    expect(keysOf(town)).toHaveLength(1)
  })
})
