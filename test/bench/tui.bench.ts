import { at, both, cpu, memory, ms, Table, took } from './support/figures.ts'
import { GC, Town } from './support/town.ts'
import type { Wire } from './support/wire.ts'

/**
 * The dashboard at 200 by 60 beside a busy city: how soon a key and the start are on the screen, what it costs
 * automatically and what it costs the server, and how 100,000 beads scroll. A real one, on a terminal of its own. `bun
 * test/bench/tui.bench.ts [sessions] [seconds]`.
 */

const SESSIONS = Number(process.argv[2] ?? 100)
const SECONDS = Number(process.argv[3] ?? 20)
/** A bead is made and closed so many times a second: two events each. */
const BEADS_PER_SECOND = 25
const KEYS_PER_SECOND = 10
const CITY = '/v0/city/mill'
/** What a selected row has behind it on a terminal of 256 colours. */
const SELECTED = '\x1b[48;5;24m'
const HISTORY = { beads: 100_000, open: 1_000, edges: 0, events: 10_000 }

const TOML = `[daemon]
max_wakes_per_tick = 30
[[agent]]
name = "hand"
start_command = '''while :; do printf 'at work '; sleep 5; done'''
min_active_sessions = ${SESSIONS}
max_active_sessions = ${SESSIONS}
`

/** Somebody's dashboard; of what it draws only the newest is kept. */
class Seat implements AsyncDisposable {
  #text = ''
  #heard = (_: string): void => {}
  readonly #child: Bun.Subprocess

  constructor(town: Town) {
    this.#child = Bun.spawn([GC, '--city', 'mill', 'tui'], {
      cwd: town.at(),
      env: { PATH: process.env.PATH, HOME: town.at(), GC_HOME: town.home, TERM: 'xterm-256color' },
      terminal: {
        cols: 200,
        rows: 60,
        data: (_, bytes) => {
          const text = new TextDecoder().decode(bytes)
          this.#text = (this.#text + text).slice(-200_000)
          this.#heard(text)
        },
      },
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  shows(wanted: RegExp): Promise<number> {
    return took(() => wanted.test(Bun.stripANSI(this.#text)))
  }

  /** Types without waiting for the result of it. */
  type(keys: string): void {
    this.#text = ''
    this.#child.terminal?.write(keys)
  }

  /** Time it takes until a key has moved the selection on the screen; a second at most. */
  async press(key: string): Promise<number> {
    const drawn = Promise.withResolvers<void>()
    this.#heard = (text) => {
      if (text.includes(SELECTED)) drawn.resolve()
    }
    const began = performance.now()
    this.#child.terminal?.write(key)
    await Promise.race([drawn.promise, Bun.sleep(1000)])
    return performance.now() - began
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }
}

/** Makes and closes beads at an even pace until it is stopped. */
function work(town: Town, signal: AbortSignal): Promise<void> {
  return town.once(async (wire: Wire) => {
    while (!signal.aborted) {
      const began = performance.now()
      const { id } = await wire.json('POST', `${CITY}/beads`, { title: 'a piece of work' })
      await wire.json('POST', `${CITY}/bead/${id}/close`)
      await Bun.sleep(Math.max(0, 1000 / BEADS_PER_SECOND - (performance.now() - began)))
    }
  })
}

/** Shares of a core that processes take while something is done. */
async function shares(pids: number[], task: () => Promise<unknown>): Promise<number[]> {
  const before = pids.map(cpu)
  const began = performance.now()
  await task()
  const passed = performance.now() - began
  return pids.map((pid, n) => (cpu(pid) - (before[n] ?? 0)) / passed)
}

/** Presses keys at an even pace; how long each took to be drawn. */
async function typing(seat: Seat, seconds: number, keyAt: (n: number) => string): Promise<number[]> {
  const samples: number[] = []
  for (let n = 0; n < seconds * KEYS_PER_SECOND; n++) {
    const spent = await seat.press(keyAt(n))
    samples.push(spent)
    await Bun.sleep(Math.max(0, 1000 / KEYS_PER_SECOND - spent))
  }
  return samples
}

const percent = (share = 0): string => `${(share * 100).toFixed(1)} %`

await using town = await Town.open()
await town.aged({ mill: { size: HISTORY, toml: TOML } })
const running = () => town.once((wire) => wire.json('GET', `${CITY}/status`))
await took(async () => (await running()).running === SESSIONS, 120_000)
const table = new Table()

const starts: number[] = []
for (let n = 0; n < 5; n++) {
  await using seat = new Seat(town)
  starts.push(await seat.shows(/gc +mill/))
}
table.row('first frame, of five starts', `p50 ${ms(at(starts, 0.5))}`, '150 ms', at(starts, 0.5) < 150)

const stop = new AbortController()
const working = work(town, stop.signal)
await Bun.sleep(1_000)
const pause = () => Bun.sleep(SECONDS * 1000)
const [without = 0] = await shares([town.pid], pause)
{
  await using seat = new Seat(town)
  await seat.shows(/hand/)
  await Bun.sleep(1_000)
  const [server = 0, own = 0] = await shares([town.pid, seat.pid], pause)
  table.row('itself, of a core', percent(own), '12 %', own < 0.12)
  table.row(
    'the server besides, of a core',
    `${percent(server)} after ${percent(without)}`,
    '1 % more',
    server - without < 0.01,
  )
  const samples = await typing(seat, SECONDS, (n) => (n % 20 < 10 ? 'j' : 'k'))
  const met = at(samples, 0.5) < 16 && at(samples, 0.99) < 50
  table.row('key → frame', both(samples), 'p50 16 ms, p99 50 ms', met)
  const { resident } = memory(seat.pid)
  table.row('its memory', `${resident.toFixed(0)} MB`, '140 MB', resident < 140)
}
stop.abort()
await working
{
  await using seat = new Seat(town)
  await seat.shows(/hand/)
  seat.type(':beads\r')
  await seat.shows(/work \d+/)
  // Past what is under way and the newest, to those that are closed.
  seat.type('oo')
  await seat.shows(/of \d{5}/)
  const samples = await typing(seat, SECONDS, () => '\x1b[6~')
  const worst = Math.max(...samples)
  table.row(
    `${SECONDS * KEYS_PER_SECOND} pages of 100,000 beads`,
    `${both(samples)}, worst ${ms(worst)}`,
    'no stall of 250 ms',
    worst < 250,
  )
}
table.print(`the dashboard at 200 by 60 beside ${SESSIONS} sessions and ${2 * BEADS_PER_SECOND} events a second`)
