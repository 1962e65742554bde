import { calm, children, cpu, memory, reaped, Table, together, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of idle cities: processor time, processes and memory, of the server and the session host. `bun
 * test/bench/idle.bench.ts [cities] [sessions] [seconds]`.
 */

const CITIES = Number(process.argv[2] ?? 10)
const SESSIONS = Number(process.argv[3] ?? 50)
const SECONDS = Number(process.argv[4] ?? 30)

/** By when both have released what starting and the first requests needed. */
const RELEASED_MS = 65_000

/** A program that wrote a screen or two and now waits, as an agent does that waits for its model. */
const WAITS = `seq 1 300 | sed 's/$/ ${'x'.repeat(100)}/'; exec sleep 100000`
const agents = Array.from(
  { length: Math.ceil(SESSIONS / CITIES) },
  (_, n) => `[[agent]]\nname = "agent-${n}"\nstart_command = "${WAITS}"\nmin_active_sessions = 1\n`,
).join('\n')

async function running(town: Town, city: string): Promise<number> {
  return town.once(async (wire) => (await wire.json('GET', `${city}/status`)).running)
}

await using town = await Town.open()
const fresh = memory(town.pid)
if (town.host !== 0) throw new Error('a session host runs although there is no session')
await town.city('first', `[[agent]]\nname = "one"\nstart_command = "${WAITS}"\nmin_active_sessions = 1\n`)
await took(async () => (await running(town, '/v0/city/first')) === 1, 60_000)
await calm(town.pid)
await calm(town.host)
await Bun.sleep(RELEASED_MS)
const one = { server: memory(town.pid).resident, host: memory(town.host).resident, both: together(town.pid, town.host) }
for (let n = 0; n < CITIES; n++) {
  const city = await town.city(`c${n}`, agents)
  await took(async () => (await running(town, city)) === Math.ceil(SESSIONS / CITIES), 60_000)
}
// Somebody looked at each screen once, as the dashboard does, so that the host has made its emulators.
const wire = await Wire.open(town.url)
for (let n = 0; n < CITIES; n++) await wire.json('GET', `/v0/city/c${n}/sessions?peek=true`)
wire.close()
await calm(town.pid)
await calm(town.host)

const pids = { server: town.pid, host: town.host }
const look = (pid: number) => ({ cpu: cpu(pid), reaped: reaped(pid), children: children(pid).join() })
const before = { server: look(pids.server), host: look(pids.host) }
await Bun.sleep(SECONDS * 1000)
const after = { server: look(pids.server), host: look(pids.host) }

const table = new Table()
for (const name of ['server', 'host'] as const) {
  const share = (after[name].cpu - before[name].cpu) / SECONDS / 10
  table.row(`${name}, processor`, `${share.toFixed(2)} % of a core`, '< 0.5 % for both', share < 0.5)
  const started = after[name].reaped !== before[name].reaped || after[name].children !== before[name].children
  table.row(`${name}, processes started`, started ? 'some' : '0', '0', !started)
}
const server = memory(pids.server)
const host = memory(pids.host)
const most = 60 + 2 * SESSIONS
const figure = ({ resident, own }: typeof server) => `${whole(resident)} MB, of which ${whole(own)} MB in no file`
table.row(
  'server and host with one session, together',
  `${whole(one.both)} MB (${whole(one.server)} and ${whole(one.host)} MB with what they share in both)`,
  '≤ 90 MB',
  one.both <= 90,
)
table.row('server, memory', figure(server), '< 150 MB', server.resident < 150)
table.row('  when it had no city, and no host ran', figure(fresh))
table.row('host, memory', figure(host), `< 60 + ${2 * SESSIONS} MB`, host.resident < most)
table.print(`${CITIES} cities and ${SESSIONS} sessions in which nothing happens for ${SECONDS} s`)
