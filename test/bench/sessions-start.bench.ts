import { calm, children, cpu, ms, Table, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'

/**
 * How fast an agent gets further sessions when many run: a real server and host, and a shell as the agent. `npm run bench
 * sessions-start [from] [to]`. It looks at the children of the host, since a request would cost the server more than a start. It
 * looks rarely, and finds the host once: a look costs the machine as much as a part of a start.
 */

const FROM = Number(process.argv[2] ?? 700)
const TO = Number(process.argv[3] ?? 1_000)
const BOUND_MS = 600_000
const LOOK_MS = 20

const pool = (size: number): string => `[providers.waiter]
command = "sh"
args = ["-c", "echo ready; exec sleep 100000"]
prompt_mode = "none"
[[agent]]
name = "waiter"
provider = "waiter"
min_active_sessions = ${size}
max_active_sessions = ${size}
`

await using town = await Town.open()
const city = await town.city('many', pool(FROM))
await took(() => town.host !== 0, BOUND_MS, LOOK_MS)
const { host } = town
const running = (size: number) => took(() => children(host).length >= size, BOUND_MS, LOOK_MS)
await running(FROM)
await calm(town.pid)
await calm(host)
const before = { server: cpu(town.pid), host: cpu(host) }
town.declare('many', pool(TO))
const duration = await running(TO)
const isRecorded = () => town.once(async (wire) => (await wire.json('GET', `${city}/status`)).running === TO)
await took(isRecorded, BOUND_MS)
const started = TO - FROM
const rate = (started / duration) * 1000
const table = new Table()
table.row(`starting sessions ${whole(FROM)} → ${whole(TO)}`, `${whole(rate)}/s`, '≥ 150/s', rate >= 150)
table.row('  processor of the server, each', ms((cpu(town.pid) - before.server) / started))
table.row('  processor of the host, each', ms((cpu(host) - before.host) / started))
table.print('starts of sessions')
