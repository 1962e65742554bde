import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { git } from '../agents/worktrees/git.ts'
import { declare, register } from '../api/town.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { KEYS, type Screen } from '../slow/screen.ts'
import { openSeat } from '../slow/tui-seat.ts'
import { underClock, WallClock } from '../slow/wall-clock.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'
import { fillGallery, type Subjects, WRITER } from './gallery.ts'
import { type Scheme, terminalSvg } from './terminal-svg.ts'

/**
 * Draws the dashboard for the README and its page: the real program, on a city with demonstration data, at a fixed time of
 * day and at three sizes. `npm run picture` writes docs/dashboard*-dark.svg and docs/dashboard*-light.svg, and
 * `npm run picture FOLDER [PAGE,PAGE]` pictures of every page or of these.
 */

const DOCS = resolve(import.meta.dir, '../../docs')
/** A folder for pictures of every page instead. */
const [, , GALLERY, CHOSEN] = process.argv
const TITLE = 'The gc dashboard: a question that needs an answer, its details, sessions, work and agents of a city'
const MORNING = Date.parse('2026-11-28T09:12:00Z')
const MINUTE = 60_000
const WAIT = 90_000

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
  until [ -e "$GC_HOME/done-$bead" ]; do
    n=$((n % 40 + 1))
    printf '\\033[%dm✓\\033[0m test/checkout-%02d.test.ts  \\033[2m%d ms\\033[0m\\n' $((32 + n % 7 / 6)) $n $((n * 37 % 90 + 4))
    sleep 0.2
  done
  bd close "$bead" --reason done
done
`

/** An agent that changes a file in a worktree of its own, for review. */
const FIXER = `#!/bin/sh
bead=$(gc hook --claim --json | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p')
cp "$GC_HOME/cart.ts" src/cart.ts
printf '# Cart\\n\\nA cart is kept for 30 days.\\n' > docs.md
git add -A && git -c user.name=fixer -c user.email=fixer@localhost commit -q -m "Keep the cart when a session expires"
bd close "$bead" --reason done
exec sleep 600
`

const CART = `import { readCookie } from './cookie.ts'

export interface Cart {
  readonly id: string
  readonly items: readonly string[]
}

/** The cart of a visitor, which ends with the session. */
export async function cartOf(request: Request): Promise<Cart | undefined> {
  const id = readCookie(request, 'session')
  if (id === undefined) return undefined
  return carts.get(id)
}
`

const CHANGED = CART.replace('which ends with the session', 'which is kept for 30 days')
  .replace("readCookie(request, 'session')", "readCookie(request, 'cart') ?? readCookie(request, 'session')")
  .replace(
    '  return carts.get(id)\n',
    '  const cart = carts.get(id)\n  // Older carts have no date.\n  return cart && age(cart) < 30 * DAY ? cart : undefined\n',
  )

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
  { at: 35, to: 'shop/coder', title: 'Round the totals of a basket once', status: 'open' },
  { at: 38, to: 'api/coder', title: 'Log the request id of every failed payment', status: 'open' },
] as const

const KEPT = 'Keep the cart when a session expires'

/** Work that is finished during the morning, by its index: the minute, and the work that its agent claims next. */
const FINISHED = [
  { work: 0, at: 41, next: 7 },
  { work: 1, at: 44, next: 5 },
] as const

await using world = await openClockedWorld()
const { city, clock } = world
const slung: string[] = []
await fill()
const subjects =
  GALLERY === undefined ? undefined : await fillGallery(city, world.world.home, MORNING + 46 * MINUTE, slung)
for (const scheme of ['dark', 'light'] as const) await draw(scheme)

async function openClockedWorld() {
  const folder = tempFolder()
  const clock = new WallClock(folder)
  clock.set(MORNING - Date.now())
  const world = await World.with(clock.env)
  await underClock(world, clock)
  const city = await register(world, 'harbor', GALLERY === undefined ? CITY : CITY + WRITER)
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
  const fixer = world.world.folder.at('fixer.sh')
  writeFileSync(fixer, FIXER)
  chmodSync(fixer, 0o755)
  writeFileSync(join(world.world.home, 'cart.ts'), CHANGED)
  await declare(city, 'fixer', { script: `exec ${fixer}` }, { dir: 'shop', worktree: true, max_active_sessions: 1 })
  for (const [dir, name, max] of [
    ['shop', 'coder', 3],
    ['shop', 'reviewer', 1],
    ['api', 'coder', 1],
  ] as const)
    await declare(city, name, { script: `exec ${worker}` }, { dir, max_active_sessions: max })
  for (const work of WORK) slung.push(await sling(work))
  setClock(40)
  await askPermission()
  for (const { work, at, next } of FINISHED) {
    await finish(slung[work] ?? '', at)
    await hasStatus(slung[next] ?? '', 'in_progress')
  }
  setClock(45)
  const { body } = await city.call('POST ~/sling/text', { body: { target: 'shop/fixer', title: KEPT } })
  await hasStatus(body.bead, 'closed')
  const changes = async () => (await city.call('GET ~/changes?state=ready')).body.items.length
  await eventually('a change is ready', WAIT, changes, (count) => count === 1)
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
  mkdirSync(join(path, 'src'), { recursive: true })
  writeFileSync(join(path, 'src/cart.ts'), CART)
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'first')
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
    const save = (path: string, title: string) =>
      writeFileSync(`${path}-${scheme}.svg`, terminalSvg(screen.terminal, title, SCHEMES[scheme]))
    await screen.shows(/live *$/m, WAIT)
    await screen.shows(/\d running/, WAIT)
    await screen.shows('coder-ha-5', WAIT)
    screen.press('jj')
    if (name !== '-narrow') await screen.shows('✓ test/checkout', WAIT)
    await Bun.sleep(3000)
    if (GALLERY === undefined) save(join(DOCS, `dashboard${name}`), TITLE)
    if (GALLERY === undefined && name === '') {
      await review(screen)
      save(join(DOCS, 'dashboard-review'), 'A change on the dashboard: its files beside the lines of one of them')
    }
    for (const [page, keys] of subjects ? pagesOf(await idsNow(), subjects) : []) {
      if (CHOSEN !== undefined && !CHOSEN.split(',').includes(page)) continue
      screen.press(KEYS.esc, KEYS.esc, ':overview', KEYS.enter)
      await Bun.sleep(500)
      screen.press(...keys)
      await Bun.sleep(1500)
      for (const end = performance.now() + WAIT; screen.text.includes('reading …') && performance.now() < end; )
        await Bun.sleep(300)
      save(join(GALLERY ?? '', `${page}-${cols}`), page)
    }
    screen.press(KEYS.esc, KEYS.esc, 'q')
    await screen.left()
  }
}

/** Opens the change that is ready, at the file with code. */
async function review(screen: Screen): Promise<void> {
  screen.press(':changes', KEYS.enter)
  await screen.shows(/ready +ch-/, WAIT)
  screen.press(KEYS.enter)
  await screen.shows('src/cart.ts', WAIT)
  screen.press('/cart', KEYS.enter)
  await screen.shows('age(cart)', WAIT)
  // Colours of code come after the code where the machine is busy.
  await Bun.sleep(3000)
}

async function idsNow(): Promise<{ session: string; bead: string; change: string }> {
  const [sessions, beads, changes] = await Promise.all(
    ['sessions', 'beads', 'changes'].map((list) => city.call(`GET ~/${list}`)),
  )
  const id = (answer: typeof sessions) => String(answer?.body.items[0]?.id ?? '')
  return { session: id(sessions), bead: id(beads), change: id(changes) }
}

/** The keys that open each page. */
function pagesOf(
  { session, bead, change }: Awaited<ReturnType<typeof idsNow>>,
  { run, convoy, landing, thread, writer }: Subjects,
): [name: string, keys: string[]][] {
  const lists =
    'overview attention agents sessions beads convoys runs formulas orders events mail rigs worktrees changes usage budgets services conversations doctor readiness config packs log cities accounts network landings'
  const about = [
    `session ${session}`,
    `bead ${bead}`,
    `change ${change}`,
    'rig shop',
    'agent shop/coder',
    `diff ${session}`,
    ...['run', 'graph', 'timeline'].map((name) => `${name} ${run}`),
    `convoy ${convoy}`,
    `landing ${landing}`,
    `thread ${thread}`,
    ...['transcript', 'watch'].map((name) => `${name} ${writer}`),
    ...['formula release', 'order tidy', 'pool shop/coder', 'event 40', 'search guide', 'nonsense'],
  ]
  const open = (command: string): [string, string[]] => [command.split(' ')[0] ?? '', [`:${command}`, KEYS.enter]]
  const over: [string, string[]][] = [
    ['question', ['!']],
    ['help', ['?']],
    ['palette', [KEYS.ctrlP, 'shop']],
    ['confirm', [':beads', KEYS.enter, 'x']],
    ['form', [':beads', KEYS.enter, 'n']],
    ['sling', [':beads', KEYS.enter, 's']],
    ['marked', [':beads', KEYS.enter, '  ', 'x']],
    ['filter', [':beads', KEYS.enter, '/checkout', KEYS.enter]],
    ['command', [':ses']],
  ]
  return [...[...lists.split(' '), ...about].map(open), ...over]
}
