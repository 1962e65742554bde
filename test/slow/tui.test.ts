import { describe, expect, test } from 'bun:test'
import { bindings } from '../../tui/state/keys.ts'
import { bead, declare, register, STORE_TOKEN, startSession } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { type TestCity, World } from '../support/world.ts'
import { KEYS } from './screen.ts'
import { freePort, up } from './town.ts'
import { openSeat } from './tui-seat.ts'

const POLLY = `
[[agent]]
name = "polly"
session = "acp"
start_command = '''${STORE_TOKEN}; exec ${AGENT.join(' ')}'''
`

/** Escape sequences that set a colour, among other attributes. */
const colours = (raw: string): string[] =>
  raw
    .split('\x1b[')
    .map((rest) => /^([\d;]*)m/.exec(rest)?.[1] ?? '')
    .filter((chosen) => chosen.split(';').some((part) => /^(3[0-8]|4[0-8]|9[0-7]|10[0-7])$/.test(part)))

async function openTown(
  ...flags: string[]
): Promise<{ world: World; city: TestCity; session: string } & AsyncDisposable> {
  await using held = new AsyncDisposableStack()
  const world = held.use(await World.open(...flags))
  const city = await world.city('town')
  const script = 'trap "" INT; i=0; while :; do i=$((i+1)); echo "line $i of the mayor"; sleep 0.3; done'
  await declare(city, 'mayor', { script }, { max_active_sessions: 1 })
  const { id } = await startSession(city, 'mayor', { alias: 'boss' })
  await bead(city, 'Paint the bridge')
  await bead(city, 'Mend the fence')
  const all = held.move()
  return { world, city, session: id, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

describe('the dashboard', () => {
  test('navigates from the cities to a city to the live screen of a session, and back', async () => {
    await using town = await openTown()
    const { world, city, session } = town
    await using screen = openSeat(world, { cols: 200, rows: 60 })
    await screen.shows(/gc\s+town/)
    screen.press(KEYS.esc)
    await screen.shows(/gc\s+cities/)
    await screen.shows('live')
    await screen.shows(/town\s+running/)
    expect(screen.alternate).toBe(true)
    screen.press(KEYS.enter)
    for (const word of [
      'agents',
      'sessions',
      'work',
      'events',
      'Paint the bridge',
      'mayor',
      'active',
      'bead.created',
    ]) {
      await screen.shows(word)
    }
    const id = await bead(city, 'Made while looking')
    await screen.shows('Made while looking')
    await screen.shows(id)
    screen.press(KEYS.enter)
    await screen.shows(`town › session › ${session}`)
    await screen.shows(/line \d+ of the mayor/)
    const seen = Number(/line (\d+) of the mayor/.exec(screen.text)?.[1])
    await screen.shows(`line ${seen + 40} of the mayor`, 20_000)
    screen.press(KEYS.esc)
    await screen.shows('Paint the bridge')
    screen.press(KEYS.esc)
    await screen.shows(/gc\s+cities/)
    screen.press('q')
    expect(await screen.exited).toBe(0)
    expect(screen.alternate).toBe(false)
    expect(screen.raw).toContain('\x1b[?1049l')
    expect(screen.raw).toContain('\x1b[?25h')
  }, 60_000)

  test('filters rows, runs commands, and lists every key it supports', async () => {
    await using town = await openTown()
    await using screen = openSeat(town.world, { cols: 160, rows: 60, args: ['--city', 'town'] })
    await screen.shows('Mend the fence')
    screen.press('\t')
    await screen.shows('▸ work')
    screen.press('/')
    for (const letter of 'bridge') screen.press(letter)
    await screen.shows('/bridge')
    await screen.shows('work 1 · "bridge"')
    expect(screen.text).toMatch(/open {2,}Paint the bridge/)
    expect(screen.text).not.toMatch(/open {2,}Mend the fence/)
    screen.press(KEYS.enter)
    await screen.shows('· "bridge"')
    screen.press(KEYS.esc)
    await screen.shows(/open {2,}Mend the fence/)
    for (const key of ':sling mayor Sweep the hall') screen.press(key)
    await screen.shows(':sling mayor Sweep the hall')
    screen.press(KEYS.enter)
    await screen.shows(/\S+-\d+ is slung to mayor/)
    await screen.shows('Sweep the hall')
    for (const key of ':fly') screen.press(key)
    screen.press(KEYS.enter)
    await screen.shows('there is no command fly here')
    screen.press('?')
    await screen.shows('everywhere')
    for (const { keys, help } of bindings) {
      await screen.shows(help)
      expect(screen.text).toContain(keys.join(' '))
    }
    screen.press('x')
    await screen.shown('everywhere')
    for (const key of ':quit') screen.press(key)
    screen.press(KEYS.enter)
    expect(await screen.exited).toBe(0)
  }, 60_000)

  test('shows what waits for a person, answers it in place, and opens a bead to read', async () => {
    await using world = await World.open()
    const city = await register(world, 'town', POLLY)
    const description = ['Two coats.', ...Array.from({ length: 40 }, (_, at) => `line ${at} of the plan`)].join('\n')
    await bead(city, 'Paint the bridge', { description, type: 'epic' })
    const { id } = await startSession(city, 'polly', { message: 'ask it' })
    await using screen = openSeat(world, { args: ['--city', 'town'] })
    await screen.shows('waiting for you 1')
    await screen.shows('Allow make it?')
    screen.press('!')
    await screen.shows('town › question')
    await screen.shows('1  Yes')
    for (const key of ':answer maybe') screen.press(key)
    screen.press(KEYS.enter)
    await screen.shows('"maybe" is not an answer to this question')
    screen.press('1')
    await screen.shows(`answered ${id}: Yes`)
    screen.press('!')
    await screen.shows('nothing waits for you')
    await screen.shows('Paint the bridge')
    await screen.shown('waiting for you')
    screen.press('\t')
    await screen.shows('▸ work')
    screen.press(KEYS.enter)
    await screen.shows('Two coats.')
    screen.press('G')
    await screen.shows('line 39 of the plan')
    screen.press('q')
    expect(await screen.exited).toBe(0)
  }, 60_000)

  test('shows that it is reconnecting when the supervisor is killed, and is live again after the restart', async () => {
    const port = await freePort()
    await using town = await openTown('--port', port)
    const { world, city } = town
    await using screen = openSeat(world, { args: ['--city', 'town'] })
    await screen.shows('live')
    await screen.shows('Mend the fence')
    await world.kill()
    await screen.shows(/reconnecting for \d+s · data \d+s old/)
    expect(screen.text).toContain('Mend the fence')
    await world.start('--port', port)
    await up(city)
    await screen.shows('live', 30_000)
    const id = await bead(city, 'After the crash')
    await screen.shows('After the crash')
    await screen.shows(id)
    screen.press(KEYS.ctrlC)
    expect(await screen.exited).toBe(0)
  }, 90_000)

  test('adapts to the size of its terminal, also when that changes', async () => {
    await using town = await openTown()
    for (const [cols, rows] of [
      [80, 24],
      [100, 30],
      [40, 12],
    ] as const) {
      await using screen = openSeat(town.world, { cols, rows, args: ['--city', 'town'] })
      await screen.shows('live')
      await screen.shows('work')
      const lines = screen.lines()
      expect(lines[0]).toMatch(/^ gc {2}town .*live$/)
      expect(lines.at(-1)?.trim()).not.toBe('')
      screen.resize(70, 20)
      await screen.shows(/^ gc {2}town {30,}(! 1 waiting · )?live/)
      screen.press('q')
      expect(await screen.exited).toBe(0)
    }
  }, 60_000)

  test('uses colours unless they are disabled', async () => {
    await using town = await openTown()
    for (const [env, coloured] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false],
      [{ TERM: 'dumb' }, false],
    ] as const) {
      await using screen = openSeat(town.world, { env, args: ['--city', 'town'] })
      await screen.shows('active')
      expect([env, colours(screen.raw).length > 0]).toEqual([env, coloured])
      screen.press('q')
      expect(await screen.exited).toBe(0)
    }
  }, 60_000)

  test('says what to do when there is no supervisor', async () => {
    await using world = await World.open()
    await world.kill()
    await using screen = openSeat(world)
    expect(await Promise.race([screen.exited, screen.shows('reconnecting').then(() => 'reconnecting')])).not.toBe(0)
  }, 60_000)
})
