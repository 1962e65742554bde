import { cursorAfterSeq } from '../../src/server/cursor.ts'
import { bareServer } from './support/bare.ts'
import { at, both, median, ms, say, Table, whole } from './support/figures.ts'
import { STATED, tenfold } from './support/history.ts'
import { inTurns, load, type Measured } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * The reads of a city over HTTP, each beside a bare server that has the answer as an object and sends the same bytes:
 * among a long history, and among one with ten times the closed beads. `npm run bench work`.
 */

const ROUNDS = 8
const SECONDS = 2
const TENFOLD = '  among ten times the closed'

const wide = STATED
const thin = { ...STATED, open: 200, edges: 4000, events: 10_000 }
const CITIES = {
  wide: { size: wide },
  thin: { size: thin },
  'wide-tenfold': { size: tenfold(wide) },
  'thin-tenfold': { size: tenfold(thin) },
}

const bodyOf = (town: Town, path: string): Promise<string> =>
  town.once(async (wire) => (await wire.ask('GET', path)).text())

/** What the processor spends on one bead, beside what it spends on the same bytes without us. */
async function one(town: Town, city: string, what: string, table: Table): Promise<void> {
  const path = `/v0/city/${city}/bead/${city}-50001`
  await using bare = await bareServer(await bodyOf(town, path))
  const ratios: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const than = await load(bare, 16, SECONDS, (wire) => wire.ask('GET', path))
    const ours = await load(town, 16, SECONDS, (wire) => wire.ask('GET', path))
    if (round >= 0) ratios.push(ours.micros / than.micros)
    say(`  bare ${than.micros.toFixed(1)} µs, gc ${ours.micros.toFixed(1)} µs; ${whole(ours.rate)}/s`)
  }
  const ratio = median(ratios)
  table.row(what, `${ratio.toFixed(2)} × the processor of bare Bun.serve`, '≤ 1.8 ×', ratio <= 1.8)
}

interface Read {
  what: string
  /** Below the city of this name. */
  path(city: string): string
  city?: 'wide' | 'thin'
  /** What the 99th percentile may take, in milliseconds. */
  bound?: number
  times?: number
}

const plain = (path: string) => () => path
const page = (query: string) => plain(`/beads?limit=100${query}`)
const events = (query: string) => plain(`/events?limit=100${query}`)

const READS: Read[] = [
  { what: 'ready, 200', path: plain('/beads/ready'), city: 'thin', bound: 2 },
  { what: 'ready, 5,000', path: plain('/beads/ready'), bound: 15, times: 100 },
  { what: 'list, newest 100', path: page('') },
  { what: 'list, closed too', path: page('&all=true') },
  { what: 'list by label, closed too', path: page('&all=true&label=l7') },
  { what: 'list closed', path: page('&status=closed') },
  { what: 'list by status in hand', path: page('&status=in_progress') },
  { what: 'list by type', path: page('&type=task') },
  { what: 'list by rig, closed too', path: (city) => `/beads?limit=100&all=true&rig=${city}` },
  { what: 'list by assignee', path: page('&assignee=nobody&all=true') },
  { what: 'events, newest 100', path: events('') },
  { what: 'events by type', path: events('&type=bead.closed') },
  { what: 'events by actor', path: events('&actor=hand-3') },
  { what: 'events by both', path: events('&actor=hand-0&type=bead.created') },
  { what: 'events, oldest 100', path: events(`&cursor=${cursorAfterSeq(150)}`) },
  { what: 'status', path: plain('/status') },
  { what: 'sessions', path: plain('/sessions') },
]

/** One row for the stated size, one for the tenfold. */
async function read(town: Town, { what, path, city = 'wide', bound, times = 200 }: Read, table: Table): Promise<void> {
  const stated = `/v0/city/${city}${path(city)}`
  const tenfold = `/v0/city/${city}-tenfold${path(`${city}-tenfold`)}`
  const body = await bodyOf(town, stated)
  await using bare = await bareServer(body)
  const asked = [
    { ...bare, path: stated },
    { pid: town.pid, url: town.url, path: stated },
    { pid: town.pid, url: town.url, path: tenfold },
  ]
  const [than, ours, more] = await inTurns(asked, times)
  if (!than || !ours || !more) return
  const figure = ({ samples, own }: Measured) => {
    const ratio = (share: number) => `${(at(samples, share) / at(than.samples, share)).toFixed(1)} ×`
    return `${both(samples)} (${ratio(0.5)} and ${ratio(0.99)} bare); ${ms(own)} of processor`
  }
  const target = bound === undefined ? '' : `p99 < ${bound} ms`
  const met = bound === undefined ? undefined : at(ours.samples, 0.99) < bound
  table.row(what, `${figure(ours)}, ${whole(body.length / 1024)} KB`, target, met)
  const longer = median(more.samples) / median(ours.samples)
  table.row(TENFOLD, `${figure(more)}; p50 ${longer.toFixed(2)} × as long`, '≤ 1.3 ×', longer <= 1.3)
}

/** How long after a write is called for a reader has its answer that waited for it. */
async function wakes(town: Town, city: string, what: string, table: Table): Promise<void> {
  const [reader, writer] = [await Wire.open(town.url), await Wire.open(town.url)]
  const samples: number[] = []
  for (let n = 0; n < 200; n++) {
    const head = (await writer.json('GET', `/v0/city/${city}/events?limit=1`)).items[0].seq
    const answer = reader.ask('GET', `/v0/city/${city}/beads?limit=1&index=${head}&wait=30s`)
    const woken = answer.then(() => performance.now())
    await Bun.sleep(5)
    const started = performance.now()
    await writer.json('POST', `/v0/city/${city}/beads`, { title: 'news' })
    samples.push((await woken) - started)
  }
  reader.close()
  writer.close()
  table.row(what, both(samples))
}

await using town = await Town.open()
await town.aged(CITIES)
const table = new Table()
await one(town, 'wide', 'one bead', table)
await one(town, 'wide-tenfold', TENFOLD, table)
for (const each of READS) await read(town, each, table)
await wakes(town, 'wide', 'write → the reader that waited for it', table)
await wakes(town, 'wide-tenfold', TENFOLD, table)
table.print(
  `reads over HTTP, ${whole(wide.beads)} beads, ${whole(wide.edges)} dependencies, ${whole(wide.events)} events`,
)
