import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { git } from '../agents/worktrees/git.ts'
import { bead, declare, register, STORE_TOKEN, startSession } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { KEYS, type Screen } from './screen.ts'
import { enter, openSeat } from './tui-seat.ts'

/**
 * A person's daily actions in the real program on a real terminal: each journey at three sizes in parallel, in separate
 * cities.
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
/** Waits of a journey: generous, because three run immediately. */
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
    await screen.shows(`the title of ${id} has changed since; nothing was undone`, WAIT)
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

/** Keys that a person presses; the words of titles, answers and searches are not counted. */
class Hands {
  count = 0

  constructor(readonly screen: Screen) {}

  press(...keys: string[]): void {
    this.count += keys.length
    this.screen.press(...keys)
  }

  type(words: string): void {
    this.screen.press(words)
  }

  shows(wanted: string | RegExp): Promise<unknown> {
    return this.screen.shows(wanted, WAIT / 3)
  }
}

/** A journey from the overview of a city, and what is there before it begins. */
interface Counted {
  readonly name: string
  readonly prepare?: (city: TestCity) => Promise<unknown>
  readonly walk: (hands: Hands, city: TestCity) => Promise<unknown>
}

const sessions = new Map<string, string>()

async function begin(city: TestCity, agent: string, alias: string, message?: string): Promise<void> {
  const { id } = await startSession(city, agent, { alias, ...(message && { message }) })
  sessions.set(alias, id)
}

const end = async (city: TestCity, alias: string) => {
  await city.call(`POST ~/session/${sessions.get(alias)}/close`)
}

/** A change that is ready for review, and passed the checks of its rig: the work of a session in a worktree of its own. */
async function makeChange(city: TestCity): Promise<void> {
  const { id, token } = await startSession(city, 'mill/worker')
  const path: string = (await city.call(`GET ~/session/${id}`)).body.work_dir
  const work = await bead(city, 'Grind the corn', { rig: 'mill' })
  await city.call(`POST ~/bead/${work}/claim`, { token })
  writeFileSync(join(path, 'corn'), 'ground\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'grind')
  await city.call(`POST ~/bead/${work}/close`, { token })
  const checks = async () => (await city.call('GET ~/changes')).body.items[0]?.checks
  await eventually('the change is checked', WAIT, checks, (seen) => seen === 'green')
}

const TEN = Array.from({ length: 10 }, (_, number) => `asks-${number}`)

/** What makes the clerk idle, and what its page says of it. */
const IDLE: readonly (readonly [(city: TestCity) => Promise<unknown>, RegExp])[] = [
  [async () => {}, /idle: no ready work is routed to it/],
  [(city) => city.call('POST ~/agent/clerk/suspend'), /idle: agent clerk is suspended/],
  [
    async (city) => {
      await city.call('POST ~/agent/clerk/resume')
      await city.call('PATCH ~', { body: { suspended: true } })
    },
    /idle: the city is suspended/,
  ],
  [
    async (city) => {
      await city.call('PATCH ~', { body: { suspended: false } })
      await city.call('DELETE ~/agent/clerk')
      await declare(city, 'clerk', { script: 'exit 3' }, { max_active_sessions: 1, min_active_sessions: 1 })
    },
    /crashed too often|starts failed/,
  ],
]

const COUNTED: readonly Counted[] = [
  {
    name: 'answer a question',
    prepare: (city) => begin(city, 'polly', 'one', 'ask it'),
    walk: async (hands) => {
      await hands.shows(/waiting for you \d/)
      hands.press('!')
      await hands.shows('1  Yes')
      hands.press('1')
      await hands.shows('answered')
    },
  },
  {
    name: 'answer ten sessions that ask the same',
    prepare: async (city) => {
      await end(city, 'one')
      await Promise.all(TEN.map((alias) => begin(city, 'polly', alias, 'ask it')))
    },
    walk: async (hands) => {
      await hands.shows(/10 sessions/)
      hands.press('!')
      await hands.shows('answer all 10')
      hands.press('A')
      await hands.shows('answer for 10 sessions')
      hands.press('\x1b[C', KEYS.enter)
      await hands.shows('answered 10 of 10')
    },
  },
  {
    name: 'find out why an agent is idle',
    prepare: (city) => Promise.all(TEN.map((alias) => end(city, alias))),
    walk: async (hands, city) => {
      for (const [make, reason] of IDLE) {
        await make(city)
        hands.screen.press(KEYS.esc, 'H', '\x1b[Z', 'g', 'H')
        await hands.shows('▸ sessions')
        hands.count = 0
        hands.press('\x1b[Z', 'j')
        await hands.shows(reason)
      }
    },
  },
  {
    name: 'open the live screen of a session',
    prepare: async (city) => {
      await city.call('DELETE ~/agent/clerk')
      const { items } = (await city.call('GET ~/sessions')).body
      for (const { id } of items) await city.call(`POST ~/session/${id}/close`)
      await begin(city, 'mayor', 'ada')
    },
    walk: async (hands) => {
      await hands.shows(/sessions 1/)
      hands.press(KEYS.enter)
      await hands.shows('session › ')
    },
  },
  {
    name: 'attach to a session and come back',
    walk: async (hands) => {
      await hands.shows(/active +ada/)
      await hands.shows(/line \d+ of the mayor/)
      hands.press('a')
      await hands.screen.shown('sessions 1', WAIT)
      hands.press(KEYS.detach)
      await hands.shows('it continues')
    },
  },
  {
    name: 'send a session a message',
    walk: async (hands) => {
      hands.press('s')
      await hands.shows(/send/)
      hands.type('mind the step')
      hands.press(KEYS.enter)
      await hands.shows(/sent|delivered|queued/i)
    },
  },
  {
    name: 'copy the id of a session',
    walk: async (hands) => {
      hands.press('y')
      await hands.shows('copied')
    },
  },
  {
    name: 'find what anyone said',
    walk: async (hands) => {
      hands.press('\x13')
      await hands.shows(':search')
      hands.type('line mayor')
      hands.press(KEYS.enter)
      await hands.shows(/output +line \d+ of the mayor/)
      hands.press(KEYS.enter)
      await hands.shows('transcript › ')
    },
  },
  {
    name: 'kill a session',
    walk: async (hands) => {
      await hands.shows(/sessions 1/)
      hands.press('x')
      await hands.shows('Kill ')
      hands.press('y')
      await hands.shows('was killed')
    },
  },
  {
    name: 'make a bead',
    prepare: (city) => end(city, 'ada'),
    walk: async (hands) => {
      hands.press(KEYS.tab)
      await hands.shows('▸ work')
      hands.press('n')
      await hands.shows('make a bead')
      hands.type('Dig a well')
      hands.press(KEYS.enter, KEYS.enter)
      await hands.shows(/is made|Dig a well/)
    },
  },
  {
    name: 'give a bead to an agent, with a formula and its variables',
    walk: async (hands) => {
      hands.press(KEYS.tab)
      await hands.shows(/▸ work [1-9]/)
      hands.press('s')
      await hands.shows('mayor · ')
      hands.press('m', 'a', KEYS.enter, 'l', KEYS.enter)
      await hands.shows('what line is run with')
      hands.press(KEYS.enter)
      await hands.shows(/is slung to mayor by line/)
    },
  },
  {
    name: 'change the title of a bead',
    prepare: (city) => bead(city, 'Paint the bridge', { priority: 0 }),
    walk: async (hands) => {
      hands.press(KEYS.ctrlP)
      hands.type('Paint the')
      await hands.shows(/bead +\S+ · Paint/)
      hands.press(KEYS.enter)
      await hands.shows(/status +open/)
      hands.press('e', '\x15')
      hands.type('Burn the bridge')
      hands.press(KEYS.enter)
      await hands.shows('is "Burn the bridge"')
    },
  },
  {
    name: 'undo the last action',
    walk: async (hands) => {
      hands.press('z')
      await hands.shows('is "Paint the bridge" again')
    },
  },
  {
    name: 'find a bead by its words and close it',
    walk: async (hands) => {
      hands.press(KEYS.ctrlP)
      hands.type('Paint the')
      await hands.shows(/bead +\S+ · Paint/)
      hands.press(KEYS.enter)
      await hands.shows(/status +open/)
      hands.press('x')
      await hands.shows('Close ')
      hands.press('y')
      await hands.shows(/is closed|closed/)
    },
  },
  {
    name: 'review a change and see it land',
    prepare: makeChange,
    walk: async (hands) => {
      await hands.shows(/1 needs you/)
      hands.press('!')
      await hands.shows('corn')
      hands.press('a')
      await hands.shows('Approve ')
      hands.press('y')
      await hands.shows('is approved')
      hands.press('L')
      await hands.shows('landing › ')
      await hands.shows(/· landed/)
    },
  },
  {
    name: 'reply to mail',
    prepare: (city) => city.call('POST ~/mail', { body: { to: 'human', subject: 'It sways', body: 'Come.' } }),
    walk: async (hands) => {
      hands.press(':', 'm', 'a', KEYS.tab, KEYS.enter)
      await hands.shows('It sways')
      hands.press('r')
      await hands.shows('reply')
      hands.type('I am coming')
      hands.press(KEYS.enter)
      await hands.shows(/replied to/)
    },
  },
  {
    name: 'show only rows with some words',
    walk: async (hands) => {
      hands.press(KEYS.tab)
      await hands.shows('▸ work')
      hands.press('/')
      hands.type('well')
      hands.press(KEYS.enter)
      await hands.shows('"well"')
      hands.screen.press(KEYS.esc)
    },
  },
  {
    name: 'see what the city spends',
    walk: async (hands) => {
      hands.press(':', 'u', 's', KEYS.tab, KEYS.enter)
      await hands.shows('› usage')
    },
  },
  {
    name: 'look up the keys of a page',
    walk: async (hands) => {
      hands.press('?')
      await hands.shows('keys and commands')
      hands.screen.press(KEYS.esc)
    },
  },
  {
    name: 'go home from anywhere',
    walk: async (hands) => {
      enter(hands.screen, 'events')
      await hands.shows('› events')
      hands.press('H')
      await hands.shows('▸ sessions')
    },
  },
]

/** Walked with GC_JOURNEYS=1, since they take a while. */
const counted: typeof test | undefined = process.env.GC_JOURNEYS ? test : undefined

counted?.(
  'twenty journeys take as many keys as docs/dashboard.md says',
  async () => {
    const place = places[1]
    if (!place) throw new Error('there is no city')
    const { city, cols, rows } = place
    const rig = world.rigFolder('mill', { git: true })
    git(rig, 'commit', '-q', '--allow-empty', '-m', 'first')
    await city.call('POST ~/rigs', { body: { name: 'mill', path: rig } })
    await city.call('PATCH ~/rig/mill/land/settings', { body: { mode: 'local', check: ['true'] } })
    await declare(city, 'worker', {}, { dir: 'mill', worktree: true })
    await declare(city, 'clerk', {}, { max_active_sessions: 1 })
    for (const { id } of (await city.call('GET ~/sessions')).body.items) await city.call(`POST ~/session/${id}/close`)
    await using screen = openSeat(world, { cols, rows, args: ['--city', city.name] })
    await screen.shows(/live *$/m, WAIT)
    const counts: [string, number][] = []
    const failed: string[] = []
    for (const { name, prepare, walk } of COUNTED) {
      await prepare?.(city)
      screen.press(KEYS.esc, 'H')
      await screen.shows(/^ gc {2}\S+ {2,}/, WAIT)
      const hands = new Hands(screen)
      await walk(hands, city).catch((error) => failed.push(`${name}: ${error}`))
      counts.push([name, hands.count])
    }
    expect(failed).toEqual([])
    const docs = readFileSync(resolve(import.meta.dir, '../../docs/dashboard.md'), 'utf8')
    const documented = [...docs.matchAll(/^\| ([^|]+?) +\| (\d+) +\|/gm)].map(([, name, keys]) => [name, Number(keys)])
    expect(documented).toEqual(counts)
  },
  240_000,
)
