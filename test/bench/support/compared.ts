import { tempFolder } from '../../support/folder.ts'
import { BeadWriter } from './bead-writer.ts'
import { cpu, took } from './figures.ts'
import { measure } from './followers.ts'
import { helper } from './helper.ts'
import { load } from './load.ts'
import { another, READS, wake } from './reads.ts'
import type { Town } from './town.ts'
import { Wire } from './wire.ts'

/** Measure for comparing two builds: a server's processor time for one request, in microseconds. */
export interface Line {
  what: string
  /** The bench that shows the same with its latencies. */
  bench: 'work' | 'writes' | 'sse' | 'status'
  measure(town: Town): Promise<number>
}

const CLIENTS = 4
const SECONDS = 1
const WRITES = 500
const COMMANDS = 20
/** Beads that wait before they are claimed or closed: more than a second takes. */
const STOCK = 6000

/** The file that plays the parts that must run in processes of their own. */
export const PARTS = new URL('../compare.ts', import.meta.url).pathname

const path = (city: string, rest: string): string => `/v0/city/${city}${rest}`

const reads = (what: string, pathOf: (n: number) => string): Line => ({
  what,
  bench: 'work',
  measure: async (town) => (await load(town, CLIENTS, SECONDS, (wire, n) => wire.ask('GET', pathOf(n)))).micros,
})

/** The ready beads, each time after one of them has changed; the change is part of it. */
async function changed(town: Town): Promise<number> {
  const ready = path('wide', '/beads/ready')
  const { items }: { items: { id: string }[] } = await town.once((wire) => wire.json('GET', ready))
  const change = async (wire: Wire, n: number) => {
    await wire.json('PATCH', path('wide', `/bead/${items[(n * 7) % items.length]?.id}`), { title: `changed ${n}` })
    await wire.ask('GET', ready)
  }
  return (await load(town, 1, SECONDS, change)).micros
}

/** A write and the reader that waited for it, with the look for the newest event before. */
async function woken(town: Town, name: string, times = 300): Promise<number> {
  const [reader, writer] = [await Wire.open(town.url), await Wire.open(town.url)]
  const before = cpu(town.pid)
  for (let n = 0; n < times; n++) {
    const head = (await writer.json('GET', path(name, '/events?limit=1'))).items[0].seq
    await wake(reader, writer, path(name, ''), head)
  }
  const micros = ((cpu(town.pid) - before) * 1000) / times
  for (const wire of [reader, writer]) wire.close()
  return micros
}

/** Creates with 1 client and with 64, and claims and closes what was created. */
function writes(city: string): Line[] {
  const writers = new Map<Town, BeadWriter>()
  const writer = (town: Town): BeadWriter => {
    const existing = writers.get(town) ?? new BeadWriter(town, city)
    writers.set(town, existing)
    return existing
  }
  const line = (what: string, clients: number, verb: 'create' | 'claim' | 'close'): Line => ({
    what: `${what}, in ${city}`,
    bench: 'writes',
    measure: async (town) => {
      if (verb !== 'create') await writer(town).stock(STOCK)
      return (await load(town, clients, SECONDS, writer(town)[verb])).micros
    },
  })
  return [
    line('create, 1 client', 1, 'create'),
    line('create, 64 clients', 64, 'create'),
    line('claim, 8 clients', 8, 'claim'),
    line('close, 64 clients', 64, 'close'),
  ]
}

const followed = (count: number, each: number): Line => ({
  what: `an event to ${count} followers`,
  bench: 'sse',
  measure: async (town) => (await measure(town, path('wide', ''), count, each, 3)).micros,
})

const status = path('busy', '/status')

/** Cost of a request while others write: total server time divided by the requests. */
async function underWrites(town: Town): Promise<number> {
  await using _ = helper(PARTS, 'write', town.url + path('busy', ''), String(WRITES))
  await Bun.sleep(700)
  const wire = await Wire.open(town.url)
  const [before, started] = [cpu(town.pid), performance.now()]
  while (performance.now() - started < 3 * SECONDS * 1000) {
    await wire.ask('GET', status)
    await Bun.sleep(8)
  }
  wire.close()
  return ((cpu(town.pid) - before) * 1000) / ((performance.now() - started) / 10)
}

/** All processor time from the start of the program to the first status of a city. */
async function started(town: Town, end: () => Promise<void>): Promise<number> {
  await end()
  town.spawn()
  await took(() => town.answers(status))
  return cpu(town.pid) * 1000
}

/** Duration of a command, with the server time it causes. */
const command = (what: string, argv0: string, args: readonly string[], folder = 'wide'): Line => ({
  what: `${what}, the command alone`,
  bench: 'status',
  measure: async (town) => {
    let micros = 0
    for (let n = 0; n < COMMANDS; n++) {
      const child = town.command(argv0, args, { folder })
      // `gc hook` has status 1 without work, and nothing on standard error.
      if ((await child.exited) !== 0 && (await child.stderr.text()) !== '') throw new Error(`${what} failed`)
      micros += Number(child.resourceUsage()?.cpuTime.total ?? 0)
    }
    return micros / COMMANDS
  },
})

/** Cost of a session host until it reports that it listens. */
async function hostStarted(town: Town): Promise<number> {
  using folder = tempFolder()
  const child = town.command('gc', ['host'], { env: { GC_HOME: folder.at('home') } })
  await child.stdout.getReader().read()
  const micros = cpu(child.pid) * 1000
  child.kill('SIGKILL')
  await child.exited
  return micros
}

/** Ends the server in the middle of writes. */
async function crash(town: Town): Promise<void> {
  await using _ = helper(PARTS, 'write', town.url + path('busy', ''), String(WRITES))
  await Bun.sleep(700)
  await town.kill()
}

const mixed = READS.map(({ path: rest, city = 'wide' }) => path(city, rest(city)))

export const LINES: readonly Line[] = [
  ...['wide', 'wide-tenfold'].map((city) => reads(`one bead, in ${city}`, () => path(city, `/bead/${city}-50001`))),
  reads('one bead, each time another', (n) => path('wide', `/bead/wide-${another(n)}`)),
  ...READS.flatMap(({ what, path: rest, city = 'wide' }) =>
    [city, `${city}-tenfold`].map((name) => reads(`${what}, in ${name}`, () => path(name, rest(name)))),
  ),
  { what: 'ready, 5,000, one of them changed before', bench: 'work', measure: changed },
  ...['wide', 'wide-tenfold'].map(
    (name): Line => ({
      what: `write → waiting reader, in ${name}`,
      bench: 'work',
      measure: (town) => woken(town, name),
    }),
  ),
  reads('/health', () => '/health'),
  reads('all of these in turn', (n) => mixed[n % mixed.length] ?? ''),
  ...writes('wide'),
  ...writes('wide-tenfold'),
  followed(10, 1),
  followed(1000, 10),
  { ...reads('status, 100 agents', () => status), bench: 'status' },
  { what: `status at ${WRITES} writes/s, with the writes`, bench: 'status', measure: underWrites },
  command('gc hook', 'gc', ['hook', 'agent-50', '--json'], 'busy'),
  command('bd ready', 'bd', ['ready', '--limit', '5', '--json']),
  command('gc __confine', 'gc', ['confine', '--', '/bin/true'], 'project'),
  { what: 'gc host, until it listens', bench: 'status', measure: hostStarted },
  { what: 'start after an orderly stop', bench: 'status', measure: (town) => started(town, () => town.stop()) },
  { what: 'start after SIGKILL while writing', bench: 'status', measure: (town) => started(town, () => crash(town)) },
]
