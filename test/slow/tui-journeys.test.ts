import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bead, declare, register, STORE_TOKEN, startSession } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { type TestCity, World } from '../support/world.ts'
import { KEYS, type Screen } from './screen.ts'
import { enter, openSeat } from './tui-seat.ts'

/**
 * What a person does in a day, in the real program on a real terminal: each journey at three sizes at once, every size in a
 * city of its own.
 */
const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const

const TOML = `
[[agent]]
name = "polly"
session = "acp"
start_command = '''${STORE_TOKEN}; exec ${AGENT.join(' ')}'''
`

const FORMULA = `formula = "line"
description = "one step"
[requires]
formula_compiler = ">=2.0.0"
[vars]
topic = "bridges"
[[steps]]
id = "look"
title = "Look at {{topic}}"
`

const TALKS = 'i=0; while :; do i=$((i+1)); echo "line $i of the mayor"; sleep 0.3; done'
/** Waits of a journey: generous, because three run at once. */
const WAIT = 30_000

interface Place {
  readonly city: TestCity
  readonly cols: number
  readonly rows: number
}

let world: World
const places: Place[] = []

beforeAll(async () => {
  world = await World.open()
  for (const [cols, rows] of SIZES) {
    const city = await register(world, `town${cols}`, TOML)
    await declare(city, 'mayor', { script: TALKS }, { max_active_sessions: 9 })
    await city.call('PUT ~/formulas/line', { raw: FORMULA })
    places.push({ city, cols, rows })
  }
}, 120_000)

afterAll(() => world?.[Symbol.asyncDispose]())

/** A journey at all sizes; each ends with the terminal as it was. */
function journey(title: string, go: (screen: Screen, city: TestCity, place: Place) => Promise<void>): void {
  const walk = async (place: Place) => {
    const { city, cols, rows } = place
    await using screen = openSeat(world, { cols, rows, args: ['--city', city.name] })
    await screen.shows(/live *$/m, WAIT)
    await go(screen, city, place)
    for (const line of screen.lines()) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(cols)
    screen.press(KEYS.esc, KEYS.esc, KEYS.ctrlC)
    expect(await screen.left()).toBe(0)
  }
  test(title, () => Promise.all(places.map(walk)).then(() => {}), 120_000)
}

/** Opens a bead, and waits until it was read. */
async function openBead(screen: Screen, id: string): Promise<void> {
  enter(screen, `bead ${id}`)
  await screen.shows(`bead › ${id}`, WAIT)
  await screen.shows(/status +open/, WAIT)
}

/** Opens the screen of a session of the mayor, and waits until it was read. */
async function openMayor(screen: Screen, id: string): Promise<void> {
  enter(screen, `session ${id}`)
  await screen.shows(`session › ${id}`, WAIT)
  await screen.shows(/active · mayor/, WAIT)
  await screen.shows(/line \d+ of the mayor/, WAIT)
}

const stateOf = async (city: TestCity, id: string): Promise<string> =>
  (await city.call(`GET ~/session/${id}`)).body.state

describe('a person', () => {
  journey('sees who waits, reads what is asked and answers it', async (screen, city) => {
    const { id } = await startSession(city, 'polly', { message: 'ask it' })
    await screen.shows('waiting for you 1', WAIT)
    for (let n = 0; n < 5 && !screen.text.includes('1  Yes'); n++) {
      screen.press('!')
      await Bun.sleep(300)
    }
    await screen.shows('1  Yes', WAIT)
    screen.press('1')
    await screen.shows(`answered ${id}: Yes`, WAIT)
    // Nothing else waits, so the person is back.
    await screen.shows('▸ sessions', WAIT)
    await city.call(`POST ~/session/${id}/close`)
  })

  journey('kills the session that was chosen while another one starts', async (screen, city) => {
    const { id } = await startSession(city, 'mayor', { alias: 'doomed' })
    enter(screen, 'sessions')
    screen.press('/doomed', KEYS.enter)
    await screen.shows(/active +.*doomed/, WAIT)
    screen.press('x')
    await screen.shows(`Kill ${id}`, WAIT)
    const other = await startSession(city, 'mayor', { alias: 'later' })
    screen.press('y')
    await screen.shows(`${id} was killed`, WAIT)
    expect(await stateOf(city, other.id)).toBe('active')
    for (const each of [id, other.id]) await city.call(`POST ~/session/${each}/close`)
  })

  journey('finds a bead by some letters, and closes it', async (screen, city) => {
    const id = await bead(city, 'Oil the weather vane')
    screen.press(KEYS.ctrlP)
    await screen.shows('⌕')
    screen.press('vane')
    await screen.shows(`bead     ${id}`, WAIT)
    screen.press(KEYS.enter)
    await screen.shows(/status +open/, WAIT)
    screen.press('x')
    await screen.shows(`Close ${id}`)
    screen.press('y')
    await screen.shows(/closed/, WAIT)
    expect((await city.call(`GET ~/bead/${id}`)).body.status).toBe('closed')
  })

  journey('takes an action back', async (screen, city) => {
    const id = await bead(city, 'Paint the bridge')
    await openBead(screen, id)
    screen.press('e', '\x15', 'Burn the bridge', KEYS.enter)
    await screen.shows(`the title of ${id} is "Burn the bridge"`, WAIT)
    await screen.shows(/^ Burn the bridge *$/m, WAIT)
    screen.press('z')
    await screen.shows(`the title of ${id} is "Paint the bridge" again`, WAIT)
    await screen.shows(/^ Paint the bridge *$/m, WAIT)
    expect((await city.call(`GET ~/bead/${id}`)).body.title).toBe('Paint the bridge')
    screen.press('e', '\x15', 'Burn it', KEYS.enter)
    await screen.shows(`the title of ${id} is "Burn it"`, WAIT)
    await city.call(`PATCH ~/bead/${id}`, { body: { title: 'Gild the bridge' } })
    await screen.shows(/^ Gild the bridge *$/m, WAIT)
    screen.press('z')
    await screen.shows(`somebody has changed the title of ${id} since; nothing was taken back`, WAIT)
    expect((await city.call(`GET ~/bead/${id}`)).body.title).toBe('Gild the bridge')
  })

  journey('leaves everything as it is when a question is not answered with y', async (screen, city) => {
    const id = await bead(city, 'Keep the tower')
    await openBead(screen, id)
    screen.press('x')
    await screen.shows(`Close ${id}`)
    screen.press('n')
    await screen.shows('nothing was done')
    expect((await city.call(`GET ~/bead/${id}`)).body.status).toBe('open')
  })

  journey('gives an agent work by its name', async (screen, city) => {
    enter(screen, 'sling mayor Sweep the hall')
    await screen.shows(/is slung to mayor/, WAIT)
    enter(screen, 'beads')
    await screen.shows('Sweep the hall', WAIT)
    expect((await city.call('GET ~/beads')).body.items.map(({ title }: { title: string }) => title)).toContain(
      'Sweep the hall',
    )
  })

  journey('begins a run of a formula with variables and follows it', async (screen) => {
    enter(screen, 'formulas')
    await screen.shows('line', WAIT)
    screen.press('/line', KEYS.enter)
    enter(screen, 'run mayor')
    await screen.shows('what line is run with', WAIT)
    await screen.shows('bridges')
    screen.press(KEYS.enter)
    await screen.shows('Look at bridges', WAIT)
  })

  journey('makes a bead and comments on it', async (screen, city) => {
    enter(screen, 'beads')
    await screen.shows('▸ work', WAIT)
    screen.press('n')
    await screen.shows('make a bead')
    screen.press('Dig a well', KEYS.enter, 'by the gate', KEYS.enter)
    await screen.shows('Dig a well', WAIT)
    const { items } = (await city.call('GET ~/beads?status=open')).body
    const made = items.find(({ title }: { title: string }) => title === 'Dig a well')
    expect(made?.description).toBe('by the gate')
    await openBead(screen, made.id)
    await screen.shows('by the gate', WAIT)
    screen.press('c', 'deep enough?', KEYS.enter)
    await screen.shows('deep enough?', WAIT)
  })

  journey('reads mail and replies', async (screen, city) => {
    await city.call('POST ~/mail', { body: { to: 'human', subject: 'The bridge sways', body: 'Come and look.' } })
    enter(screen, 'mail')
    await screen.shows('The bridge sways', WAIT)
    screen.press('r')
    await screen.shows('reply')
    screen.press('I am coming', KEYS.enter)
    await screen.shows(/replied to/, WAIT)
  })

  journey('watches a session, attaches to it and returns', async (screen, city) => {
    const { id } = await startSession(city, 'mayor', { alias: 'watched' })
    await openMayor(screen, id)
    screen.press('a')
    await screen.shown('session ›', WAIT)
    await screen.shows(/line \d+ of the mayor/, WAIT)
    screen.press(KEYS.detach)
    await screen.shows(`session › ${id}`, WAIT)
    await screen.shows(`Detached from session ${id} (ctrl-]); it continues.`, WAIT)
    expect(screen.modes).toEqual({ alternate: true, mouse: true, paste: true })
    screen.press('a')
    await screen.shown('session ›', WAIT)
    await screen.shows(/line \d+ of the mayor/, WAIT)
    await city.call(`POST ~/session/${id}/close`)
    await screen.shows(/session ›[\s\S]*ended/, WAIT)
  })

  journey('searches what sessions said, and opens it there', async (screen, city) => {
    const { id } = await startSession(city, 'mayor', { alias: 'talker' })
    await openMayor(screen, id)
    enter(screen, 'search LINE mayor')
    await screen.shows(new RegExp(`${id} .*output +line 1 of the mayor`), WAIT)
    screen.press(`/talker`, KEYS.enter, KEYS.enter)
    await screen.shows(`transcript › ${id}`, WAIT)
    await screen.shows('line 1 of the mayor', WAIT)
    await city.call(`POST ~/session/${id}/close`)
  })

  journey('filters a list and clears the filter', async (screen, city) => {
    await bead(city, 'Mend the red fence')
    await bead(city, 'Mend the blue gate')
    enter(screen, 'beads')
    await screen.shows('red fence', WAIT)
    screen.press('/red fence')
    await screen.shown('blue gate')
    screen.press(KEYS.enter)
    await screen.shows('"red fence"')
    screen.press(KEYS.esc)
    await screen.shows('blue gate', WAIT)
  })

  journey('selects with a click, opens with another, and turns the wheel', async (screen, city) => {
    const id = await bead(city, 'Ring the bell')
    enter(screen, 'beads')
    await screen.shows('Ring the bell', WAIT)
    screen.press('\x1b[<65;10;10M')
    screen.press('\x1b[<64;10;10M')
    // A row may move between the frame that is clicked and the click.
    for (let n = 0; n < 5 && !screen.text.includes(`bead › ${id}`); n++) {
      screen.click('Ring the bell')
      await Bun.sleep(300)
    }
    await screen.shows(`bead › ${id}`, WAIT)
  })

  journey('leaves the mouse to the terminal and takes it back', async (screen) => {
    screen.press(KEYS.ctrlT)
    await screen.shows('selecting')
    expect(screen.modes.mouse).toBe(false)
    screen.press(KEYS.ctrlT)
    await screen.shown('selecting')
    expect(screen.modes.mouse).toBe(true)
  })

  journey('changes the size of the terminal while looking', async (screen, city, { cols, rows }) => {
    await bead(city, 'Bend the rail')
    enter(screen, 'beads')
    for (const [width, height] of [
      [60, 16],
      [cols, rows],
      [cols + 30, rows + 10],
      [cols, rows],
    ] as const) {
      screen.resize(width, height)
      await screen.shows(new RegExp(`^ gc {2}town.* › work.{0,${width}}live`), WAIT)
      await screen.shows(/q quit|…/)
    }
  })

  journey('goes between open cities, each at its place', async (screen, city) => {
    const there = places.find((place) => place.city !== city)?.city ?? city
    const other = there.name
    enter(screen, 'events')
    await screen.shows(`${city.name} › events`, WAIT)
    enter(screen, `city ${other}`)
    await screen.shows(new RegExp(`│ ${other}`), WAIT)
    await screen.shows(/sessions \d/, WAIT)
    await Bun.sleep(300)
    screen.press('[')
    await screen.shows(`${city.name} › events`, WAIT)
    const { id } = await startSession(there, 'polly', { message: 'ask it' })
    await screen.hears(`\x07\x1b]9;${other}: `, WAIT)
    await screen.shows(new RegExp(`│ ${other} !\\d`), WAIT)
    screen.press(']')
    await screen.shows(/sessions \d/, WAIT)
    await there.call(`POST ~/session/${id}/close`)
  })

  journey('is told of what begins to wait, in the title too', async (screen, city) => {
    await screen.shows(/sessions \d/, WAIT)
    await Bun.sleep(300)
    const { id } = await startSession(city, 'polly', { message: 'ask it' })
    await screen.hears(`\x07\x1b]9;${city.name}: polly ${id} `, WAIT)
    await screen.shows(/! \d waiting/, WAIT)
    await screen.hears(`) gc ${city.name}`, WAIT)
    await city.call(`POST ~/session/${id}/close`)
  })

  journey('copies an id past the screen', async (screen, city) => {
    const { id } = await startSession(city, 'mayor', { alias: 'copied' })
    await openMayor(screen, id)
    screen.press('y')
    await screen.shows('copied', WAIT)
    expect(screen.raw).toContain(`\x1b]52;c;${Buffer.from(id).toString('base64')}`)
    await city.call(`POST ~/session/${id}/close`)
  })

  journey('pastes into a line, and pasted text is never taken for keys', async (screen) => {
    screen.press('\x1b[200~q\rq\x1b[201~')
    await screen.shows('pasted text is taken where something is typed')
    screen.press(':', '\x1b[200~bea\x1b[201~', KEYS.tab)
    await screen.shows(/:bead/)
  })

  journey('asks for what there is not, and is told what to do', async (screen) => {
    enter(screen, 'fly')
    await screen.shows('there is no command fly here; ? lists all commands')
    enter(screen, 'bead')
    await screen.shows(':bead takes the id of a bead')
    enter(screen, 'bead no-such-bead')
    await screen.shows(/no bead|not found|no-such-bead/, WAIT)
  })

  journey('looks up the keys of a page', async (screen) => {
    enter(screen, 'sessions')
    await screen.shows('sessions', WAIT)
    screen.press('?')
    await screen.shows('sessions: its keys')
    screen.press('G')
    await screen.shows(':city NAME')
    screen.press('?')
    await screen.shown('its keys')
  })

  journey('watches events as they happen', async (screen, city) => {
    enter(screen, 'events')
    await screen.shows('▸ events', WAIT)
    const id = await bead(city, 'Light the lamp')
    await screen.shows(new RegExp(`bead\\.created +${id}`), WAIT)
  })
})
