import { calm, cpu, median, memory, ms, Table, took, whole } from './support/figures.ts'
import { timed } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of many cities in which nothing happens: the time until all run, their memory, and requests that ask all of them.
 * `npm run bench cities [cities]`.
 */

const CITIES = Number(process.argv[2] ?? 100)
const ROUNDS = 3

async function start(town: Town) {
  town.spawn()
  const all = await took(async () => {
    try {
      return await town.once(async (wire) => (await wire.json('GET', '/health')).cities_running === CITIES)
    } catch {
      return false
    }
  })
  return { all, cpu: cpu(town.pid) }
}

await using town = await Town.open()
for (let n = 0; n < CITIES; n++) await town.city(`c${n}`)
await calm(town.pid)
const starts: number[] = []
const processor: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  await town.stop()
  const started = await start(town)
  starts.push(started.all)
  await calm(town.pid)
  processor.push(cpu(town.pid))
}
const { resident } = memory(town.pid)
const wire = await Wire.open(town.url)
await timed(wire, '/v0/events?limit=100', 20)
const events = await timed(wire, '/v0/events?limit=100', 200)
wire.close()
const table = new Table()
table.row(`${whole(CITIES)} cities, all run after`, ms(median(starts)), '≤ 400 ms', median(starts) <= 400)
table.row('  processor until calm', ms(median(processor)))
table.row('  memory', `${whole(resident)} MB`, '≤ 200 MB', resident <= 200)
table.row('  /v0/events', ms(median(events)), '≤ 1 ms', median(events) <= 1)
table.print('many cities in which nothing happens')
