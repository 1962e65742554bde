import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { bead } from '../api/town.ts'
import { until } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'
import { KEYS, type Screen } from './screen.ts'
import { freePort, up } from './town.ts'
import { childOf, openSeat } from './tui-seat.ts'

const AS_IT_WAS = { alternate: false, mouse: false, paste: false }
const TAKEN = { alternate: true, mouse: true, paste: true }
const WAIT = 20_000

/** A shell that has a dashboard in it. */
async function inShell(world: World): Promise<Screen> {
  const screen = openSeat(world, { program: ['bash', '--norc', '--noediting', '-i'] })
  screen.press(`${[...PROGRAM, '--city', 'town', 'tui'].join(' ')}\r`)
  await screen.shows(/live *$/m, WAIT)
  expect(screen.modes).toEqual(TAKEN)
  return screen
}

describe('the terminal is as it was', () => {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    test(`after ${signal}`, async () => {
      await using world = await World.open()
      await world.city()
      await using screen = await inShell(world)
      process.kill(childOf(screen.pid), signal)
      await screen.shown('live', WAIT)
      screen.press("stty -a | grep -o '.icanon'\r")
      await screen.shows(/ icanon$/m, WAIT)
      expect(screen.modes).toEqual(AS_IT_WAS)
      expect(screen.raw).toContain('\x1b[23;0t')
    }, 60_000)
  }

  test('while ctrl-z has stopped the dashboard, which comes back with fg', async () => {
    await using world = await World.open()
    await world.city()
    await using screen = await inShell(world)
    screen.press(KEYS.ctrlZ)
    await screen.shows('Stopped', WAIT)
    expect(screen.modes).toEqual(AS_IT_WAS)
    screen.press('fg\r')
    await screen.shows(/live *$/m, WAIT)
    await until(() => Bun.deepEquals(screen.modes, TAKEN))
    screen.press('q')
    await screen.shown('live', WAIT)
    expect(screen.modes).toEqual(AS_IT_WAS)
  }, 60_000)
})

describe('beneath the dashboard', () => {
  test('waits for a supervisor that restarts, and reports a city that is gone', async () => {
    const port = await freePort()
    await using world = await World.open('--port', port)
    const city = await world.city()
    await bead(city, 'Mend the fence')
    await using screen = openSeat(world, { args: ['--city', 'town'] })
    await screen.shows('Mend the fence', WAIT)
    await world.kill()
    await screen.shows(/reconnecting for \d+s · data \d+s old/, WAIT)
    expect(screen.text).toContain('Mend the fence')
    await world.start('--port', port)
    await up(city)
    await screen.shows(/live *$/m, 30_000)
    await city.call('POST ~/stop')
    await screen.shows(/reconnecting for \d+s/, WAIT)
    await screen.shows('`gc start town` starts', WAIT)
    expect(screen.text).toContain('Mend the fence')
    await city.call('POST ~/start')
    await screen.shows(/live *$/m, WAIT)
    await screen.shown('`gc start town`', WAIT)
    await city.call('POST ~/unregister')
    await screen.shows('city not found or not running: town', WAIT)
    screen.press(KEYS.esc)
    await screen.shows('none yet: gc init', WAIT)
    screen.press('q')
    expect(await screen.exited).toBe(0)
  }, 90_000)
})

describe('tui.toml', () => {
  test('sets keys, and what is wrong in it is said with its place', async () => {
    await using world = await World.open()
    await world.city()
    mkdirSync(world.home, { recursive: true })
    writeFileSync(`${world.home}/tui.toml`, '[keys]\nquit = "Q"\nfly = "f"\n')
    await using screen = openSeat(world, { args: ['--city', 'town'], isFirstRun: true })
    await screen.shows('five keys to begin with', WAIT)
    screen.press(KEYS.esc)
    await screen.shown('five keys to begin with')
    await screen.shows('tui.toml:3:1: keys.fly', WAIT)
    screen.press('q')
    await screen.shown('tui.toml:3:1')
    screen.press('Q')
    expect(await screen.exited).toBe(0)
    await using checked = openSeat(world, { program: [...PROGRAM, 'tui', '--check-config'] })
    await checked.shows('tui.toml:3:1: keys.fly: there is no such key', WAIT)
    expect(await checked.exited).toBe(1)
  }, 60_000)
})

describe('line by line', () => {
  test('says the page, its rows and what changes, and takes commands as lines', async () => {
    await using world = await World.open()
    const city = await world.city()
    await bead(city, 'Paint the bridge')
    const program = [...PROGRAM, '--city', 'town', 'tui', '--plain']
    {
      await using first = openSeat(world, { program, rows: 60, cols: 400, isFirstRun: true })
      await first.shows(/^Keys to begin with: !: .*\?: list the keys/m, WAIT)
      first.press('quit\r')
      expect(await first.exited).toBe(0)
    }
    await using screen = openSeat(world, { program, rows: 60, isFirstRun: true })
    await screen.shows('Page: overview, city town.', WAIT)
    await screen.shows('title Paint the bridge', WAIT)
    screen.press('beads\r')
    await screen.shows('Page: work, city town.', WAIT)
    const id = await bead(city, 'Mend the fence')
    await screen.shows(new RegExp(`New in work: id ${id}, .*title Mend the fence`), WAIT)
    screen.press('x\r')
    await screen.shows('Type y to confirm', WAIT)
    screen.press('y\r')
    await screen.shows(/is closed/, WAIT)
    screen.press('fly\r')
    await screen.shows('there is no command fly here', WAIT)
    expect(screen.raw).not.toContain('\x1b[?1049h')
    expect(screen.raw).not.toContain('Keys to begin with')
    screen.press('quit\r')
    expect(await screen.exited).toBe(0)
  }, 60_000)
})
