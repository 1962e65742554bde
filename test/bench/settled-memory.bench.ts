import { calm, memory, Table, together, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Memory of a server with a small city and of its host after a burst of writes, once that is a minute ago. `npm run bench
 * settled-memory [writes]`.
 */

const WRITES = Number(process.argv[2] ?? 50_000)
const CLIENTS = 16
const LATER_MS = 60_000

await using town = await Town.open()
const agent = '[[agent]]\nname = "one"\nstart_command = "exec sleep 100000"\nmin_active_sessions = 1\n'
const city = await town.city('small', agent)
await took(() => town.host !== 0)
await calm(town.pid)
const before = { server: memory(town.pid), both: together(town.pid, town.host) }
const clients = Array.from({ length: CLIENTS }, async () => {
  const wire = await Wire.open(town.url)
  for (let n = 0; n < WRITES / CLIENTS / 2; n++) {
    const { id } = await wire.json('POST', `${city}/beads`, { title: `bead ${n}` })
    await wire.json('POST', `${city}/bead/${id}/close`, {})
  }
  wire.close()
})
await Promise.all(clients)
const busy = memory(town.pid)
await Bun.sleep(LATER_MS)
const after = { server: memory(town.pid), host: memory(town.host), both: together(town.pid, town.host) }
const figure = ({ resident, own }: typeof busy) => `${whole(resident)} MB, of which ${whole(own)} MB in no file`
const table = new Table()
table.row('server and host before', `${whole(before.both)} MB together`)
table.row('server before', figure(before.server))
table.row(`server after ${whole(WRITES)} writes`, figure(busy))
table.row('server a minute later', figure(after.server))
table.row('host a minute later', figure(after.host))
table.row('server and host a minute later, together', `${whole(after.both)} MB`, '≤ 120 MB', after.both <= 120)
table.print('memory after a burst of writes')
