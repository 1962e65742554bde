import { cpu, Table, took } from './support/figures.ts'
import { GC, Town } from './support/town.ts'
import type { Wire } from './support/wire.ts'

/**
 * What the dashboard costs while a city is busy: processor time of the server, of the host and of the dashboard itself,
 * with none open, with one on the city, and with one on a session. A real one, on a terminal of its own.
 * `bun test/bench/tui.bench.ts [sessions] [seconds]`.
 */

const SESSIONS = Number(process.argv[2] ?? 20)
const SECONDS = Number(process.argv[3] ?? 10)
/** Beads made and closed a second while it is looked at. */
const RATE = 10
const CITY = '/v0/city/mill'

const PAINTS = `while :; do printf '\\033[H${'\\033[32mline of a busy screen\\033[0m '.repeat(40)}'; date; sleep 0.1; done`
const TOML = `[daemon]
max_wakes_per_tick = 30
[[agent]]
name = "painter"
start_command = '''${PAINTS}'''
min_active_sessions = ${SESSIONS}
max_active_sessions = ${SESSIONS}
`

/** Somebody's dashboard; what it draws is thrown away. */
function dashboard(town: Town) {
  let text = ''
  const child = Bun.spawn([GC, 'tui', '--city', 'mill'], {
    cwd: town.at(),
    env: { PATH: process.env.PATH, HOME: town.at(), GC_HOME: town.home, TERM: 'xterm-256color' },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, bytes) => {
        text = (text + new TextDecoder().decode(bytes)).slice(-20_000)
      },
    },
  })
  return {
    pid: child.pid,
    press: (key: string) => child.terminal?.write(key),
    shows: (wanted: RegExp) => took(() => wanted.test(Bun.stripANSI(text))),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Makes and closes beads at an even pace until it is told to stop. */
function work(town: Town, signal: AbortSignal): Promise<void> {
  return town.once(async (wire: Wire) => {
    while (!signal.aborted) {
      const began = performance.now()
      const { id } = await wire.json('POST', `${CITY}/beads`, { title: 'a piece of work' })
      await wire.json('POST', `${CITY}/bead/${id}/close`)
      await Bun.sleep(Math.max(0, 1000 / RATE - (performance.now() - began)))
    }
  })
}

/** Shares of a core that processes take while the city is busy. */
async function shares(pids: number[]): Promise<number[]> {
  const before = pids.map(cpu)
  const began = performance.now()
  await Bun.sleep(SECONDS * 1000)
  const passed = performance.now() - began
  return pids.map((pid, n) => (cpu(pid) - (before[n] ?? 0)) / passed)
}

const percent = (share = 0): string => `${(share * 100).toFixed(1)} %`

await using town = await Town.open()
await town.city('mill', TOML)
const running = () => town.once((wire) => wire.json('GET', `${CITY}/status`))
await took(async () => (await running()).running === SESSIONS, 60_000)
const stop = new AbortController()
const working = work(town, stop.signal)
await Bun.sleep(2_000)

const table = new Table()
const row = (what: string, [server, host, own]: number[]) =>
  table.row(
    what,
    `server ${percent(server)}, host ${percent(host)}${own === undefined ? '' : `, itself ${percent(own)}`}`,
  )
row('no dashboard', await shares([town.pid, town.host]))
{
  await using open = dashboard(town)
  await open.shows(/painter/)
  row('one on the city', await shares([town.pid, town.host, open.pid]))
  open.press('\r')
  await open.shows(/busy screen/)
  row('one on the screen of a session', await shares([town.pid, town.host, open.pid]))
}
stop.abort()
await working
table.print(
  `the dashboard beside ${SESSIONS} sessions that paint ten times and ${RATE} beads that are done a second; of a core`,
)
