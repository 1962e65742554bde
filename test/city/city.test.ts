import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Deadlines } from '../../src/core/deadlines.ts'
import type { SessionHost } from '../../src/host/client/session-host.ts'
import { testTown } from '../support/city.ts'
import { TestClock } from '../support/clock.ts'

/** Changes the database of a city from another process, since a second connection in this one would drop its locks. */
function alter(path: string, sql: string): void {
  const script = `new (require('bun:sqlite').Database)(${JSON.stringify(join(path, '.gc', 'city.db'))}).run(${JSON.stringify(sql)})`
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** The host, with a list of what is subscribed to it. */
function watched(host: SessionHost): { host: SessionHost; subscriptions: Set<string> } {
  const subscriptions = new Set<string>()
  const proxy = new Proxy(host, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (!/^on[A-Z]/.test(String(name))) return value.bind(target)
      return (...given: unknown[]) => {
        const stop: unknown = value.apply(target, given)
        subscriptions.add(String(name))
        return () => {
          subscriptions.delete(String(name))
          if (typeof stop === 'function') stop()
        }
      }
    },
  })
  return { host: proxy, subscriptions }
}

const AGENT = '[[agent]]\nname = "worker"\nstart_command = "sleep 600"\nmin_active_sessions = 1\n'

describe('opening a city', () => {
  test('releases all that was begun when the last step fails, and opens once the cause is gone', async () => {
    await using town = testTown(AGENT)
    const first = await town.open()
    await first.close({ endSessions: true })
    alter(
      town.path,
      `CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.type = 'controller.started'
       BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
    )
    const { host, subscriptions } = watched(await town.hosts.connect())
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    await expect(town.open({ host, clock, deadlines })).rejects.toThrow('disk is full')
    expect([...subscriptions]).toEqual([])
    expect(clock.armed).toBe(0)

    alter(town.path, 'DROP TRIGGER full')
    const second = await town.open()
    const started = second.log.after(0, 10_000).filter(({ type }) => type === 'controller.started')
    expect(started).toHaveLength(2)
  })

  test('a city that is open already is rejected by its lock, and the open one continues', async () => {
    await using town = testTown()
    const city = await town.open()
    await expect(town.open()).rejects.toThrow('is held by')
    expect(city.log.after(0, 100).map(({ type }) => type)).toEqual(['controller.started'])
  })
})

describe('closing a city', () => {
  test('records the end last, once, however often it is requested', async () => {
    await using town = testTown()
    const city = await town.open()
    await Promise.all([city.close({ endSessions: false }), city.close({ endSessions: false })])
    const again = await town.open()
    expect(again.log.after(0, 100).map(({ type }) => type)).toEqual([
      'controller.started',
      'controller.stopped',
      'controller.started',
    ])
  })
})
