import { resolve } from 'node:path'
import { at, calm, cpu, median, ms, Table, took, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { GC, Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Lists of a city with eight live sessions, of one with a thousand, and of one with ten thousand agents, over HTTP: the
 * latency of one client, and what the server's processor spends on a request. `npm run bench many`; another build and
 * this one in turns, on the same sessions: `bun test/bench/many.bench.ts [old gc]`.
 */

const FEW = 8
const SESSIONS = 1_000
const AGENTS = 10_000
const ROUNDS = 4
/** Time for which a list is asked for in one round, in milliseconds. */
const SLICE_MS = 500
/** Time before that in which it is compiled. */
const WARM_MS = 1_000
const CREATE_MS = 2_000

const PROVIDER = '[providers.sleeper]\ncommand = "sleep"\nargs = ["100000"]\nprompt_mode = "none"\n'
const agents = (count: number, more: string): string =>
  PROVIDER +
  Array.from({ length: count }, (_, n) => `[[agent]]\nname = "worker-${n}"\nprovider = "sleeper"\n${more}`).join('\n')
const pools = (count: number, each: number): string =>
  agents(count, `min_active_sessions = ${each}\nmax_active_sessions = ${each}\n`)

const CITIES = {
  few: pools(FEW, 1),
  many: pools(20, SESSIONS / 20),
  wide: agents(AGENTS, 'max_active_sessions = -1\n'),
}

type City = keyof typeof CITIES

interface Row {
  readonly what: string
  readonly city: City
  readonly path: string
  /** Limit of the median, in milliseconds. */
  readonly target: number
}

const ROWS: readonly Row[] = [
  { what: 'sessions, 8', city: 'few', path: '/sessions', target: 0.2 },
  { what: `sessions, 100 of ${whole(SESSIONS)} live`, city: 'many', path: '/sessions?limit=100', target: 2 },
  { what: `sessions, all ${whole(SESSIONS)}`, city: 'many', path: '/sessions?limit=1000', target: 8 },
  { what: `status with ${whole(SESSIONS)} sessions`, city: 'many', path: '/status', target: 4 },
  { what: `agents with ${whole(SESSIONS)} sessions`, city: 'many', path: '/agents', target: 8 },
  { what: `status with ${whole(AGENTS)} agents`, city: 'wide', path: '/status', target: 8 },
  { what: `agents, ${whole(AGENTS)}`, city: 'wide', path: '/agents', target: 8 },
]

/** One row of one build. */
class Figures {
  readonly samples: number[] = []
  readonly own: number[] = []
  #bytes = 0

  note(samples: readonly number[], own: number, bytes: number): void {
    this.samples.push(...samples)
    this.own.push(own / samples.length)
    this.#bytes = bytes
  }

  get text(): string {
    const { samples, own } = this
    return `p50 ${ms(median(samples))}, p99 ${ms(at(samples, 0.99))}; ${ms(median(own))} of processor, ${whole(this.#bytes / 1024)} KB`
  }
}

/** Asks for a list as often as so many milliseconds last. */
async function ask({ url, pid }: Town, path: string, duration: number, figures?: Figures): Promise<void> {
  const wire = await Wire.open(url)
  const before = cpu(pid)
  const samples: number[] = []
  let bytes = 0
  for (const end = performance.now() + duration; performance.now() < end; ) {
    const started = performance.now()
    const reply = await wire.ask('GET', path)
    samples.push(performance.now() - started)
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`)
    bytes = reply.bytes
  }
  wire.close()
  figures?.note(samples, cpu(pid) - before, bytes)
}

/** How long creates take while a client asks for the status of many agents all the time. */
async function creates(town: Town): Promise<number[]> {
  await using _ = helper(import.meta.path, 'read', town.url)
  const wire = await Wire.open(town.url)
  const create = () => wire.json('POST', '/v0/city/wide/beads', { title: 'news' })
  await create()
  const samples: number[] = []
  for (const end = performance.now() + CREATE_MS; performance.now() < end; await Bun.sleep(5)) {
    const started = performance.now()
    await create()
    samples.push(performance.now() - started)
  }
  wire.close()
  return samples
}

/** Asks for the status of many agents until it is stopped. */
async function readAll(url: string): Promise<void> {
  const wire = await Wire.open(url)
  for (;;) await wire.ask('GET', '/v0/city/wide/status')
}

/** A build, and what it was measured to take. */
class Build {
  readonly creates: number[] = []
  readonly #rows = new Map<Row, Figures>(ROWS.map((row) => [row, new Figures()]))

  constructor(private readonly program: string) {}

  of(row: Row): Figures {
    return this.#rows.get(row) ?? new Figures()
  }

  async measure(town: Town): Promise<void> {
    await town.restart(this.program)
    await running(town)
    await calm(town.pid)
    for (const row of ROWS) {
      const path = `/v0/city/${row.city}${row.path}`
      await ask(town, path, WARM_MS)
      await ask(town, path, SLICE_MS, this.of(row))
    }
    this.creates.push(...(await creates(town)))
  }
}

/** Waits until all sessions run. */
async function running(town: Town): Promise<void> {
  const runs = async (city: City, count: number): Promise<boolean> => {
    const path = `/v0/city/${city}/status`
    return (await town.answers(path)) && (await town.once((wire) => wire.json('GET', path))).running === count
  }
  await took(async () => (await runs('few', FEW)) && (await runs('many', SESSIONS)), 300_000)
  await took(() => town.answers('/v0/city/wide/status'))
}

function print([ours, other]: readonly Build[]): void {
  if (!ours) return
  const table = new Table()
  for (const row of ROWS) {
    const figures = ours.of(row)
    if (other) table.row(`  before`, other.of(row).text)
    table.row(row.what, figures.text, `p50 ≤ ${row.target} ms`, median(figures.samples) <= row.target)
  }
  const creates = ({ creates }: Build) => `p50 ${ms(median(creates))}, p99 ${ms(at(creates, 0.99))}`
  if (other) table.row('  before', creates(other))
  table.row('a create while one asks for that status', creates(ours), 'p99 ≤ 10 ms', at(ours.creates, 0.99) <= 10)
  table.print('lists of cities with many sessions or agents, over HTTP')
}

async function main(programs: readonly string[]): Promise<void> {
  await using town = await Town.open()
  for (const [name, toml] of Object.entries(CITIES)) await town.city(name, toml)
  await running(town)
  const builds = programs.map((program) => new Build(program))
  for (let round = 0; round < ROUNDS; round++) for (const build of builds) await build.measure(town)
  print(builds)
}

if (process.argv[2] === 'read') await readAll(process.argv[3] ?? '')
else await main([GC, ...process.argv.slice(2).map((path) => resolve(path))])
