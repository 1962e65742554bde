import { readdirSync, readFileSync } from 'node:fs'
import { cursorAfterSeq } from '../../src/server/cursor.ts'
import { tempFolder } from '../support/folder.ts'
import { bareCreates } from './support/bare-creates.ts'
import { at, both, calm, cpu, median, ms, say, Table, took, whole } from './support/figures.ts'
import { fill } from './support/fill.ts'
import { helper } from './support/helper.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * The work of a city over HTTP: reads of one bead beside a bare server, lists, claims, and durable creates beside bare
 * bun:sqlite. One city has 5,000 ready beads among its history and the other 200; the size of the history is given:
 * `bun test/bench/work.bench.ts [beads] [events]`.
 */

const BEADS = Number(process.argv[2] ?? 100_000)
const EVENTS = Number(process.argv[3] ?? 200_000)
const CLIENTS = 64
const SECONDS = 3
const ROUNDS = 5
const HANDS = 8

/** A session that leaves its token where the bench finds it. */
const KEEPS = 'umask 077; printf %s $GC_TOKEN > $GC_HOME/token.$GC_SESSION_ID; exec sleep 100000'
const hands = `[[agent]]\nname = "worker"\nstart_command = "${KEEPS}"\nmin_active_sessions = ${HANDS}\nmax_active_sessions = ${HANDS}\n`

/** What so many connections get done that each ask again and again: answers a second, and the server's time for one. */
async function load(pid: number, url: string, clients: number, once: (wire: Wire, n: number) => Promise<unknown>) {
  const wires = await Promise.all(Array.from({ length: clients }, () => Wire.open(url)))
  const [started, before] = [performance.now(), cpu(pid)]
  const end = started + SECONDS * 1000
  let answers = 0
  const client = async (wire: Wire): Promise<void> => {
    while (performance.now() < end) await once(wire, answers++)
  }
  await Promise.all(wires.map(client))
  const each = ((cpu(pid) - before) * 1000) / answers
  for (const wire of wires) wire.close()
  return { rate: answers / ((performance.now() - started) / 1000), each }
}

async function reads(town: Town, city: string, table: Table): Promise<void> {
  const path = `${city}/bead/wide-50000`
  const body = await town.once(async (wire) => (await wire.ask('GET', path)).text())
  await using bare = helper(import.meta.path, 'bare', body)
  const url = await bare.said()
  const ratios: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const than = await load(bare.pid, url, 16, (wire) => wire.ask('GET', path))
    const ours = await load(town.pid, town.url, 16, (wire) => wire.ask('GET', path))
    if (round > 0) ratios.push(ours.each / than.each)
    say(`  read: bare ${than.each.toFixed(1)} µs, gc ${ours.each.toFixed(1)} µs; ${whole(ours.rate)}/s`)
  }
  const ratio = median(ratios)
  table.row('one bead, processor', `${ratio.toFixed(2)} × bare Bun.serve`, '≤ 1.8 ×', ratio <= 1.8)
}

async function creates(town: Town, city: string, table: Table): Promise<void> {
  using folder = tempFolder()
  const body = { title: 'bead', labels: ['a'], description: 'x'.repeat(200) }
  const ratios: number[] = []
  for (let round = 0; round < 3; round++) {
    const raw = bareCreates(folder.at(`bare${round}.db`), CLIENTS, SECONDS)
    const ours = await load(town.pid, town.url, CLIENTS, (wire) => wire.json('POST', `${city}/beads`, body))
    ratios.push(ours.rate / raw)
    say(`  create: ${whole(ours.rate)}/s, ${ours.each.toFixed(0)} µs of the server each; bun:sqlite ${whole(raw)}/s`)
  }
  const ratio = median(ratios)
  const figure = `${ratio.toFixed(2)} × bun:sqlite in shared commits`
  table.row(`create over HTTP, ${CLIENTS} clients`, figure, '≥ 0.5 × (in process)', undefined)
}

/** Answers' times of one connection, after some that do not count. */
async function timed(times: number, once: (n: number) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let n = -times / 10; n < times; n++) {
    const started = performance.now()
    await once(n)
    if (n >= 0) samples.push(performance.now() - started)
  }
  return samples
}

async function lists(town: Town, table: Table): Promise<void> {
  const wire = await Wire.open(town.url)
  const get = async (what: string, path: string, bound?: number, times = 200): Promise<void> => {
    const before = cpu(town.pid)
    const samples = await timed(times, () => wire.ask('GET', path))
    const own = (cpu(town.pid) - before) / (times * 1.1)
    const { bytes, status } = await wire.ask('GET', path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    const figure = `${both(samples)}; ${ms(own)} of processor, ${whole(bytes / 1024)} KB`
    const judged = bound === undefined ? undefined : at(samples, 0.99) < bound
    table.row(what, figure, bound === undefined ? '' : `p99 < ${bound} ms`, judged)
  }
  await get('ready, 200', '/v0/city/thin/beads/ready', 2)
  await get('ready, 5,000', '/v0/city/wide/beads/ready', 15, 60)
  await get('list, newest 100', '/v0/city/wide/beads?limit=100')
  await get('list, closed too', '/v0/city/wide/beads?limit=100&all=true')
  await get('list by label, closed too', '/v0/city/wide/beads?limit=100&all=true&label=l7')
  await get('list closed', '/v0/city/wide/beads?limit=100&status=closed')
  await get('list by status in hand', '/v0/city/wide/beads?limit=100&status=in_progress')
  await get('list by type', '/v0/city/wide/beads?limit=100&type=task')
  await get('list by assignee', '/v0/city/wide/beads?limit=100&assignee=nobody&all=true')
  await get('events, newest 100', '/v0/city/wide/events?limit=100')
  await get('events by type', '/v0/city/wide/events?limit=100&type=bead.closed')
  await get('events by actor', '/v0/city/wide/events?limit=100&actor=hand-3')
  await get('events by both', '/v0/city/wide/events?limit=100&actor=hand-0&type=bead.created')
  await get('events, oldest 100', `/v0/city/wide/events?limit=100&cursor=${cursorAfterSeq(150)}`)
  await get('status', '/v0/city/wide/status')
  await get('sessions', '/v0/city/wide/sessions')
  wire.close()
}

async function claims(town: Town, table: Table): Promise<void> {
  const files = () => readdirSync(town.home).filter((name) => name.startsWith('token.wide'))
  await took(() => files().length === HANDS)
  const tokens = files().map((name) => readFileSync(`${town.home}/${name}`, 'utf8'))
  const samples: number[] = []
  const one = async (token: string, wire: Wire): Promise<void> => {
    for (let n = 0; n < 40; n++) {
      const metadata = { 'gc.routed_to': 'worker' }
      const { id } = await wire.json('POST', '/v0/city/wide/beads', { title: 'a piece', metadata })
      const started = performance.now()
      const { status } = await wire.ask('POST', `/v0/city/wide/bead/${id}/claim`, {}, token)
      samples.push(performance.now() - started)
      if (status === 200) await wire.json('POST', `/v0/city/wide/bead/${id}/close`, {}, token)
    }
  }
  await Promise.all(tokens.map((token) => town.once((wire) => one(token, wire))))
  table.row(`claim, ${HANDS} sessions at once`, both(samples))
}

/** How long after a write is called for a reader has its answer that waited for it. */
async function wakes(town: Town, table: Table): Promise<void> {
  const [reader, writer] = [await Wire.open(town.url), await Wire.open(town.url)]
  const samples: number[] = []
  for (let n = 0; n < 100; n++) {
    const head = (await writer.json('GET', '/v0/city/thin/events?limit=1')).items[0].seq
    const woken = reader.ask('GET', `/v0/city/thin/beads?limit=1&index=${head}&wait=30s`).then(() => performance.now())
    await Bun.sleep(5)
    const started = performance.now()
    await writer.json('POST', '/v0/city/thin/beads', { title: 'news' })
    samples.push((await woken) - started)
  }
  reader.close()
  writer.close()
  table.row('write → the reader that waited for it', both(samples))
}

async function main(): Promise<void> {
  await using town = await Town.open()
  await town.city('wide', hands)
  await town.city('thin')
  await town.stop()
  const size = { beads: BEADS, events: EVENTS }
  await fill(town.at('wide', '.gc', 'city.db'), { prefix: 'wide', open: 5000, ...size })
  await fill(town.at('thin', '.gc', 'city.db'), { prefix: 'thin', open: 200, ...size })
  await town.start()
  await took(() => town.answers('/v0/city/wide/status'))
  await took(() => town.answers('/v0/city/thin/status'))
  await calm(town.pid)
  const table = new Table()
  await reads(town, '/v0/city/wide', table)
  await lists(town, table)
  await claims(town, table)
  await wakes(town, table)
  await creates(town, '/v0/city/thin', table)
  table.print(`work over HTTP, ${whole(BEADS)} beads and ${whole(EVENTS)} events in each city`)
}

if (process.argv[2] === 'bare') {
  const body = JSON.parse(process.argv[3] ?? '{}')
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(JSON.stringify(body), {
        headers: {
          'x-gc-request-id': '0123456789abcdef',
          vary: 'Origin',
          'x-gc-index': '1234',
          'x-gc-cache-age-s': '0',
          'content-type': 'application/json',
        },
      }),
  })
  say(server.url.origin)
} else await main()
