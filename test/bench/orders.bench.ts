import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { atRest, both, children, cpu, median, reaped, Table, took } from './support/figures.ts'
import { Town } from './support/town.ts'

/**
 * Cost of waiting orders, and the delay of one after its event. `bun test/bench/orders.bench.ts [orders] [seconds]`.
 */

const ORDERS = Number(process.argv[2] ?? 1000)
const SECONDS = Number(process.argv[3] ?? 30)
const EVENTS = 20

const now = (): number => performance.timeOrigin + performance.now()

/** Each trigger that waits for time or events; none is due. */
const TRIGGERS = [
  'trigger = "cron"\nschedule = "0 0 1 1 *"\ntz = "Europe/Berlin"',
  'trigger = "event"\non = "convoy.closed"',
  'trigger = "manual"',
]

await using town = await Town.open()
for (const name of ['idle', 'quick']) mkdirSync(town.at(name, 'orders'), { recursive: true })
for (let n = 0; n < ORDERS; n++) {
  writeFileSync(town.at('idle', 'orders', `o${n}.toml`), `[order]\n${TRIGGERS[n % TRIGGERS.length]}\nexec = "true"\n`)
}
const table = new Table()
await town.city('idle', '[daemon]\npatrol_interval = "30s"\n')
await atRest(town.pid)
const look = () => ({ cpu: cpu(town.pid), reaped: reaped(town.pid), children: children(town.pid).join() })
const before = look()
await Bun.sleep(SECONDS * 1000)
const after = look()
const share = (after.cpu - before.cpu) / SECONDS / 10
table.row(`${ORDERS} idle orders, processor`, `${share.toFixed(2)} % of a core`, '< 0.3 %', share < 0.3)
const started = after.reaped !== before.reaped || after.children !== before.children || town.host !== 0
table.row('  processes started', started ? 'some' : '0', '0', !started)

const mark = town.at('quick', 'began')
writeFileSync(
  town.at('quick', 'orders', 'react.toml'),
  `[order]\ntrigger = "event"\non = "bead.created"\nexec = "date +%s%N > ${mark}.new; mv ${mark}.new ${mark}"\n`,
)
const quick = await town.city('quick')
const samples: number[] = []
for (let n = 0; n < EVENTS; n++) {
  await Bun.sleep(1_500)
  const at = now()
  await town.once((wire) => wire.json('POST', `${quick}/beads`, { title: `bead ${n}` }))
  await took(() => existsSync(mark) && Number(readFileSync(mark, 'utf8')) / 1e6 > at)
  samples.push(Number(readFileSync(mark, 'utf8')) / 1e6 - at)
}
const [first = 0, ...others] = samples
table.row('a bead is created → the command of its order runs', both(others), 'p50 < 50 ms', median(others) < 50)
table.row('  the first, with the start of the session host', `${first.toFixed(0)} ms`)
table.print('orders that wait, and that run after an event')
