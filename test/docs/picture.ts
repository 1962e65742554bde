import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { declare, register } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { openSeat } from '../slow/tui-seat.ts'
import { underClock, WallClock } from '../slow/wall-clock.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'
import { type Scheme, terminalSvg } from './terminal-svg.ts'

/**
 * Draws the dashboard for the README and its page: the real program, on a city with demonstration data, at a fixed time of
 * day and at three sizes. `npm run picture` writes docs/dashboard*-dark.svg and docs/dashboard*-light.svg.
 */

const DOCS = resolve(import.meta.dir, '../../docs')
const TITLE = 'The gc dashboard: a question that needs an answer, its details, sessions, work and agents of a city'
const MORNING = Date.parse('2026-11-28T09:12:00Z')
const MINUTE = 60_000
const WAIT = 20_000

const SCHEMES: Readonly<Record<'dark' | 'light', Scheme>> = {
  dark: { background: '#0d1117', foreground: '#e6edf3', frame: '#30363d' },
  light: { background: '#ffffff', foreground: '#1f2328', frame: '#d0d7de' },
}

/** Sizes of the screen, one for each layout, by what the file names add. */
const SIZES = [
  ['-narrow', 80, 24],
  ['', 120, 36],
  ['-wide', 200, 56],
] as const

/** An agent that claims one bead after the other, and closes each once a file with its name is there. */
const WORKER = `#!/bin/sh
while bead=$(gc hook --claim --drain-ack --json | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p') && [ "$bead" ]; do
  echo "working on $bead"
  until [ -e "$GC_HOME/done-$bead" ]; do sleep 0.2; printf .; done
  bd close "$bead" --reason done
done
`

const CITY = `
[[agent]]
name = "deployer"
session = "acp"
start_command = '''exec ${AGENT.join(' ')}'''
`

/** The work of the morning: the minute at which it is slung, its agent, and its status then. */
const WORK = [
  { at: 0, to: 'shop/coder', title: 'Retry failed webhooks with backoff', status: 'in_progress' },
  { at: 4, to: 'shop/reviewer', title: 'Review the new checkout flow', status: 'in_progress' },
  { at: 9, to: 'shop/coder', title: 'Show the tax on every line of an invoice', status: 'in_progress' },
  { at: 14, to: 'api/coder', title: 'Return 429 with Retry-After from the login endpoint', status: 'in_progress' },
  { at: 21, to: 'shop/coder', title: 'Remove the flaky sleep from the checkout test', status: 'in_progress' },
  { at: 26, to: 'shop/reviewer', title: 'Review the retries of webhooks', status: 'open' },
  { at: 33, to: 'api/coder', title: 'Document the pagination of /orders', status: 'open' },
  { at: 35, to: 'shop/coder', title: 'Keep the cart when a session expires', status: 'open' },
  { at: 38, to: 'api/coder', title: 'Log the request id of every failed payment', status: 'open' },
] as const

/** Work that is finished during the morning, by its index: the minute, and the work that its agent claims next. */
const FINISHED = [
  { work: 0, at: 41, next: 7 },
  { work: 1, at: 44, next: 5 },
] as const

await using world = await openClockedWorld()
const { city, clock } = world
await fill()
for (const scheme of ['dark', 'light'] as const) await draw(scheme)

async function openClockedWorld() {
  const folder = tempFolder()
  const clock = new WallClock(folder)
  clock.set(MORNING - Date.now())
  const world = await World.with(clock.env)
  await underClock(world, clock)
  const city = await register(world, 'harbor', CITY)
  const close = async () => {
    await world[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }
  return { world, city, clock, [Symbol.asyncDispose]: close }
}

/** Sets the time of day, in minutes since the morning began. */
function setClock(minutes: number): void {
  clock.set(MORNING + minutes * MINUTE - Date.now())
}

async function fill(): Promise<void> {
  const worker = world.world.folder.at('worker.sh')
  writeFileSync(worker, WORKER)
  chmodSync(worker, 0o755)
  for (const rig of ['shop', 'api']) await addRig(rig)
  for (const [dir, name, max] of [
    ['shop', 'coder', 3],
    ['shop', 'reviewer', 1],
    ['api', 'coder', 1],
  ] as const)
    await declare(city, name, { script: `exec ${worker}` }, { dir, max_active_sessions: max })
  const ids: string[] = []
  for (const work of WORK) ids.push(await sling(work))
  setClock(40)
  await askPermission()
  for (const { work, at, next } of FINISHED) {
    await finish(ids[work] ?? '', at)
    await hasStatus(ids[next] ?? '', 'in_progress')
  }
  setClock(46)
}

/** Starts the session that asks for permission, and waits for its question. */
async function askPermission(): Promise<void> {
  const session = { kind: 'agent', name: 'deployer', alias: 'deployer', message: 'ask deploy-staging' }
  await city.outcome((await city.call('POST ~/sessions', { body: session })).body)
  const waiting = async () => (await city.call('GET ~/attention')).body.total
  await eventually('the deployer asks', WAIT, waiting, (total) => total === 1)
}

async function addRig(name: string): Promise<void> {
  const path = world.world.rigFolder(name, { git: true })
  mkdirSync(path, { recursive: true })
  const { status, body } = await city.call('POST ~/rigs', { body: { name, path } })
  if (status !== 201) throw new Error(JSON.stringify(body))
}

/** Slings a piece of work, and waits until it has its status. */
async function sling({ at, to, title, status }: (typeof WORK)[number]): Promise<string> {
  setClock(at)
  const slung = await city.call('POST ~/sling/text', { body: { target: to, title } })
  if (slung.status >= 300) throw new Error(JSON.stringify(slung.body))
  await hasStatus(slung.body.bead, status)
  return slung.body.bead
}

/** Has the agent of a bead finish it. */
async function finish(id: string, at: number): Promise<void> {
  setClock(at)
  writeFileSync(join(world.world.home, `done-${id}`), '')
  await hasStatus(id, 'closed')
}

async function hasStatus(id: string, status: string): Promise<void> {
  const read = async () => (await city.call(`GET ~/bead/${id}`)).body.status
  await eventually(`${id} is ${status}`, WAIT, read, (now) => now === status)
}

async function draw(scheme: 'dark' | 'light'): Promise<void> {
  writeFileSync(join(world.world.home, 'tui.toml'), `theme = "${scheme}"\n`)
  const env = { ...clock.env, COLORTERM: 'truecolor', TZ: 'UTC' }
  for (const [name, cols, rows] of SIZES) {
    await using screen = openSeat(world.world, { cols, rows, env, args: ['--city', city.name] })
    await screen.shows(/live *$/m, WAIT)
    await screen.shows(/\d running/, WAIT)
    await Bun.sleep(3000)
    writeFileSync(join(DOCS, `dashboard${name}-${scheme}.svg`), terminalSvg(screen.terminal, TITLE, SCHEMES[scheme]))
    screen.press('q')
    await screen.left()
  }
}
