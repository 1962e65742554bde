import { bareServer } from './support/bare.ts'
import { at, both, late, median, ms, say, Table, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { inTurns, load, type Measured, poll, type Target, timed } from './support/load.ts'
import { another, CITIES, READS, type Read, wake } from './support/reads.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * The reads of a city over HTTP, each beside a bare server that has the answer as an object and sends the same bytes:
 * among a long history, and among one with ten times the closed beads. `npm run bench work`.
 */

const ROUNDS = 8
const SECONDS = 2
const READERS = 4
const MOST_WAKE = 4
const TENFOLD = '  among ten times the closed'

const bodyOf = (town: Town, path: string): Promise<string> =>
  town.once(async (wire) => (await wire.ask('GET', path)).text())

const same = (): number => 50_001

/** Processor time for one bead, the n-th time on number `of(n)`, beside the same bytes without gc. */
async function one(
  town: Town,
  city: string,
  what: string,
  table: Table,
  of: (n: number) => number = same,
  goal = 1.8,
): Promise<void> {
  const pathOf = (n: number) => `/v0/city/${city}/bead/${city}-${of(n)}`
  const path = pathOf(0)
  await using bare = await bareServer(await bodyOf(town, path))
  const ratios: number[] = []
  const micros: number[] = []
  const samples: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const than = await load(bare, 16, SECONDS, (wire) => wire.ask('GET', path))
    const ours = await load(town, 16, SECONDS, (wire, n) => wire.ask('GET', pathOf(n)))
    if (round >= 0) {
      ratios.push(ours.micros / than.micros)
      micros.push(ours.micros)
      samples.push(...ours.samples)
    }
    say(`  bare ${than.micros.toFixed(1)} µs, gc ${ours.micros.toFixed(1)} µs; ${whole(ours.rate)}/s`)
  }
  const ratio = median(ratios)
  const figure = `${ratio.toFixed(2)} × the processor of bare Bun.serve; ${median(micros).toFixed(0)} µs of it; ${both(samples)}`
  table.row(what, figure, `≤ ${goal} ×`, ratio <= goal)
}

/** Processor time for a list of 50 beads, beside the same bytes without gc. */
async function fifty(town: Town, city: string, table: Table): Promise<void> {
  const path = `/v0/city/${city}/beads?limit=50`
  await using bare = await bareServer(await bodyOf(town, path))
  const ratios: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const without = await load(bare, 16, SECONDS, (wire) => wire.ask('GET', path))
    const ours = await load(town, 16, SECONDS, (wire) => wire.ask('GET', path))
    if (round >= 0) ratios.push(ours.micros / without.micros)
  }
  const ratio = median(ratios)
  table.row('a list of 50 beads', `${ratio.toFixed(2)} × the processor of bare Bun.serve`, '< 2.5 ×', ratio < 2.5)
}

/** One row for the stated size, one for the tenfold. */
async function read(town: Town, each: Read, table: Table): Promise<void> {
  const { what, path, city = 'wide', bound, ratio: goal, times = 2000 } = each
  const stated = `/v0/city/${city}${path(city)}`
  const tenfold = `/v0/city/${city}-tenfold${path(`${city}-tenfold`)}`
  const body = await bodyOf(town, stated)
  await using bare = await bareServer(body)
  const targets = [
    { ...bare, path: stated },
    { pid: town.pid, url: town.url, path: stated },
    { pid: town.pid, url: town.url, path: tenfold },
  ]
  const [than, ours, more] = await inTurns(targets, times)
  if (!than || !ours || !more) return
  const figure = ({ samples, own }: Measured) => {
    const ratio = (share: number) => `${(at(samples, share) / at(than.samples, share)).toFixed(1)} ×`
    return `${both(samples)} (${ratio(0.5)} and ${ratio(0.99)} bare); ${ms(own)} of processor`
  }
  const shown = `${figure(ours)}, ${whole(body.length / 1024)} KB`
  if (bound !== undefined) table.row(what, shown, `p99 < ${bound} ms`, at(ours.samples, 0.99) < bound)
  else if (goal === undefined) table.row(what, shown)
  else table.row(what, shown, `p50 ≤ ${goal} × bare`, median(ours.samples) <= goal * median(than.samples))
  const longer = median(more.samples) / median(ours.samples)
  table.row(TENFOLD, `${figure(more)}; p50 ${longer.toFixed(2)} × as long`, '≤ 1.3 ×', longer <= 1.3)
}

/** The ready beads, each time after one of them has changed. */
async function changing(town: Town, name: string, table: Table): Promise<void> {
  const city = `/v0/city/${name}`
  const wire = await Wire.open(town.url)
  const ready: { id: string }[] = (await wire.json('GET', `${city}/beads/ready`)).items
  const samples: number[] = []
  for (let n = 0; n < 100; n++) {
    await wire.json('PATCH', `${city}/bead/${ready[(n * 7) % ready.length]?.id}`, { title: `changed ${n}` })
    samples.push(...(await timed(wire, `${city}/beads/ready`, 1)))
  }
  wire.close()
  table.row('ready, 5,000, one of them changed before', both(samples), 'p99 < 15 ms', at(samples, 0.99) < 15)
}

async function wakes(town: Town, name: string, what: string, table: Table): Promise<void> {
  const city = `/v0/city/${name}`
  await using bare = await bareServer(await bodyOf(town, `${city}/beads?limit=1`))
  const two = ({ url }: Target) => Promise.all([Wire.open(url), Wire.open(url)])
  const [[reader, writer], [bareReader, bareWriter]] = [await two(town), await two(bare)]
  const samples: number[] = []
  const than: number[] = []
  for (let n = 0; n < 200; n++) {
    const head = (await writer.json('GET', `${city}/events?limit=1`)).items[0].seq
    samples.push(await wake(reader, writer, city, head))
    than.push(await wake(bareReader, bareWriter, city, 0))
  }
  for (const wire of [reader, writer, bareReader, bareWriter]) wire.close()
  const ratio = (share: number) => `${(at(samples, share) / at(than, share)).toFixed(1)} ×`
  const figure = `${both(samples)} (${ratio(0.5)} and ${ratio(0.99)} bare, which keeps nothing)`
  table.row(what, figure, `p50 ≤ ${MOST_WAKE} × bare`, median(samples) <= MOST_WAKE * median(than))
}

/** Latency for others while readers request all of the above, beside an idle bare server. */
async function stalls(town: Town, table: Table): Promise<void> {
  await using bare = await bareServer('{"status":"ok"}')
  await using _ = helper(import.meta.path, 'read', town.url)
  const ours = await Wire.open(town.url)
  await poll(ours, '/health', SECONDS)
  const samples = await poll(ours, '/health', SECONDS * ROUNDS)
  ours.close()
  const control = await Wire.open(bare.url)
  const than = await poll(control, '/health', SECONDS * ROUNDS)
  control.close()
  const what = `/health while ${READERS} ask for all of these`
  table.row(what, `${late(samples)} (bare: ${late(than)})`, 'p50 ≤ 1 ms', median(samples) <= 1)
}

/** Requests everything one by one until it is stopped. */
async function askForAll(url: string): Promise<void> {
  const paths = READS.map(({ path, city = 'wide' }) => `/v0/city/${city}${path(city)}`)
  await load({ pid: process.pid, url }, READERS, Number.POSITIVE_INFINITY, (wire, n) =>
    wire.ask('GET', paths[n % paths.length] ?? ''),
  )
}

async function main(): Promise<void> {
  await using town = await Town.open()
  await town.aged(CITIES)
  const table = new Table()
  await one(town, 'wide', 'one bead', table)
  await one(town, 'wide-tenfold', TENFOLD, table)
  await one(town, 'wide', '  each time another', table, another, 2)
  await fifty(town, 'wide', table)
  for (const each of READS) await read(town, each, table)
  await changing(town, 'wide', table)
  await wakes(town, 'wide', 'write → the reader that waited for it', table)
  await wakes(town, 'wide-tenfold', TENFOLD, table)
  await stalls(town, table)
  table.print(
    `reads over HTTP, ${whole(CITIES.wide.size.beads)} beads, ${whole(CITIES.wide.size.edges)} dependencies, ${whole(CITIES.wide.size.events)} events`,
  )
}

if (process.argv[2] === 'read') await askForAll(process.argv[3] ?? '')
else await main()
