import { calm, cpu, memory, Table, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of a city with mostly sleeping sessions, and host memory of each kind. `bun test/bench/asleep.bench.ts [asleep]
 * [live] [seconds]`.
 */

const ASLEEP = Number(process.argv[2] ?? 50)
const LIVE = Number(process.argv[3] ?? 20)
const SECONDS = Number(process.argv[4] ?? 20)
const CITY = '/v0/city/mill'

/** A screen or two of history, then a line a second, as a program writes that shows how long it has been at it. */
const WORKS = `seq 1 300 | sed 's/$/ ${'x'.repeat(100)}/'; while :; do date; sleep 1; done`
const TOML = `[daemon]
max_wakes_per_tick = 20
[[agent]]
name = "sleeper"
start_command = "exec sleep 100000"
max_active_sessions = ${ASLEEP}
[[agent]]
name = "worker"
start_command = '''while [ ! -f "$GC_HOME/go" ]; do sleep 1; done; ${WORKS}'''
min_active_sessions = ${LIVE}
max_active_sessions = ${LIVE}
`

const count = (wire: Wire, query: string): Promise<number> =>
  wire.json('GET', `${CITY}/sessions?limit=1&${query}`).then(({ total }) => total)

await using town = await Town.open()
await town.city('mill', TOML)
const wire = await Wire.open(town.url)
for (let n = 0; n < ASLEEP; n++) await wire.json('POST', `${CITY}/sessions`, { kind: 'agent', name: 'sleeper' })
await took(async () => (await count(wire, 'state=active')) === ASLEEP + LIVE, 120_000)
const { items } = await wire.json('GET', `${CITY}/sessions?state=active&template=sleeper&limit=1000`)
for (const { id } of items) await wire.json('POST', `${CITY}/session/${id}/suspend`)
await took(async () => (await count(wire, 'state=active')) === LIVE, 60_000)
await calm(town.pid)
const bare = memory(town.host).resident
await Bun.write(town.at('home', 'go'), '')
await Bun.sleep(3_000)
await wire.json('GET', `${CITY}/sessions?peek=true&limit=1000`)
const pids = { server: town.pid, host: town.host }
const before = { server: cpu(pids.server), host: cpu(pids.host) }
await Bun.sleep(SECONDS * 1000)

const table = new Table()
for (const name of ['server', 'host'] as const) {
  const share = (cpu(pids[name]) - before[name]) / SECONDS / 10
  table.row(`${name}, processor`, `${share.toFixed(2)} % of a core`)
  table.row(`${name}, memory`, `${whole(memory(pids[name]).resident)} MB`)
}
const each = (memory(pids.host).resident - bare) / LIVE
table.row('host, memory a session at work', `${each.toFixed(2)} MB`, '< 2 MB', each < 2)
table.print(`${ASLEEP} sessions asleep and ${LIVE} that write a line a second, for ${SECONDS} s`)
wire.close()
