import { at, both, cpu, memory, say, Table, took, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { Town } from './support/town.ts'

/**
 * Time a byte takes from an agent's program to somebody who is attached to its session, through the session host and
 * the server, while others paint their screens and one floods its terminal, all of them watched. `bun
 * test/bench/terminal.bench.ts [busy] [seconds]`.
 */

const CITY = '/v0/city/mill'
const url = (base: string, id: string, ticket: string) =>
  `${base.replace('http', 'ws')}${CITY}/session/${id}/terminal?ticket=${ticket}`

/** Attaches to a session and hears what it shows from now on. */
function attached(address: string, hear: (bytes: Uint8Array) => void): WebSocket {
  const socket = new WebSocket(address)
  socket.binaryType = 'arraybuffer'
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) hear(new Uint8Array(data))
  }
  return socket
}

/** The part of those who watch all other sessions, in a process of its own. */
async function watch(addresses: string[]): Promise<void> {
  for (const address of addresses) attached(address, () => {})
  process.stdout.write('watching\n')
  await new Promise(() => {})
}

const LINE = `\\033[H${'\\033[32mline of a busy screen\\033[0m '.repeat(40)}`
const TICKS = `${process.execPath} -e "setInterval(() => process.stdout.write('@' + (performance.timeOrigin + performance.now()) + ';'), 20)"`
const agent = (name: string, script: string, count = 1) =>
  `[[agent]]\nname = "${name}"\nstart_command = '''${script}'''\nmin_active_sessions = ${count}\nmax_active_sessions = ${count}\n`

async function measure(busy: number, seconds: number): Promise<void> {
  const toml = [
    agent('ticker', `${TICKS}`),
    agent(
      'painter',
      `while [ ! -f "$GC_HOME/go" ]; do sleep 0.2; done; while :; do printf '${LINE}'; sleep 0.1; done`,
      busy,
    ),
    agent(
      'flood',
      'while [ ! -f "$GC_HOME/go" ]; do sleep 0.2; done; exec yes a line of a program that floods its terminal',
    ),
  ]
  await using town = await Town.open()
  await town.city('mill', `[daemon]\nmax_wakes_per_tick = 30\n${toml.join('')}`)
  const sessions = () => town.once((wire) => wire.json('GET', `${CITY}/sessions?state=active&limit=100`))
  await took(
    async () => (await sessions()).items.filter((one: { running: boolean }) => one.running).length === busy + 2,
    60_000,
  )
  const address = async (id: string): Promise<string> => {
    const { ticket } = await town.once((wire) => wire.json('POST', `${CITY}/session/${id}/terminal-ticket`, {}))
    return url(town.url, id, ticket)
  }
  const all: { id: string; template: string }[] = (await sessions()).items
  const isTicker = ({ template }: { template: string }) => template === 'ticker'
  const samples: number[] = []
  const ticker = all.find(isTicker)
  if (!ticker) throw new Error('the ticker does not run')
  let rest = ''
  attached(await address(ticker.id), (bytes) => {
    const now = performance.timeOrigin + performance.now()
    const parts = (rest + Buffer.from(bytes).toString('latin1')).split(';')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const written = /@([\d.]+)$/.exec(part)?.[1]
      if (written !== undefined) samples.push(now - Number(written))
    }
  })
  const gathered = async (): Promise<number[]> => {
    await Bun.sleep(1000)
    samples.length = 0
    await Bun.sleep(seconds * 1000)
    return [...samples]
  }
  const table = new Table()
  const calm = await gathered()
  table.row('a byte → who is attached, alone', both(calm), `(${calm.length} samples)`)

  const watched = await Promise.all(all.filter((one) => !isTicker(one)).map(({ id }) => address(id)))
  await using watcher = helper(import.meta.path, 'watch', ...watched)
  await watcher.firstLine()
  await Bun.write(town.at('home', 'go'), '')
  const before = [cpu(town.pid), cpu(town.host)]
  const began = performance.now()
  const full = await gathered()
  const spent = [cpu(town.pid), cpu(town.host)].map((now, n) => (now - (before[n] ?? 0)) / (performance.now() - began))
  const met = at(full, 0.5) < 20 && at(full, 0.99) < 200
  table.row(`  while ${busy} are busy and one floods`, both(full), 'p50 < 20 ms, p99 < 200 ms', met)
  for (const [n, name] of ['server', 'host'].entries()) {
    table.row(`  ${name}, processor`, `${whole((spent[n] ?? 0) * 100)} % of a core`)
    table.row(`  ${name}, memory`, `${whole(memory(n === 0 ? town.pid : town.host).resident)} MB`)
  }
  say(`${full.length} samples under load`)
  table.print('from an agent’s terminal to whoever looks at it')
}

const [word, ...more] = process.argv.slice(2)
if (word === 'watch') await watch(more)
else await measure(Number(word ?? 20), Number(more[0] ?? 8))
process.exit()
