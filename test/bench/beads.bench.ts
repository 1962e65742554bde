import { Workload } from '../../src/agents/sessions/workload.ts'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { systemClock as clock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { EventLog } from '../../src/core/events/log.ts'
import { Store } from '../../src/core/store.ts'
import type { Worker } from '../../src/work/claims/worker.ts'
import { tempFolder } from '../support/folder.ts'
import { buildWork } from '../support/work.ts'
import { BareWrites } from './support/bare-writes.ts'

/**
 * A city's work at 100,000 beads: reads as percentiles, writes as a share of what bare bun:sqlite does with the same
 * rows, tables, indexes and triggers in shared commits. `bun test/bench/beads.bench.ts [beads] [open]`.
 */

const BEADS = Number(process.argv[2] ?? 100_000)
const OPEN = Number(process.argv[3] ?? 5_000)
const WRITERS = 64
const SECONDS = 3

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const whole = (rate: number): string => Math.round(rate).toLocaleString('en')

function openCity(path: string) {
  const store = Store.open(path, cityMigrations)
  const deadlines = new Deadlines(clock)
  const log = new EventLog(store, clock, deadlines)
  const scope = { current: { name: 'mill', prefix: 'mi', rigs: [{ name: 'press', prefix: 'pr' }] } }
  const workers = { worker: ({ session }: { session: string }) => workerOf(session) }
  return { store, log, deadlines, ...buildWork({ store, log, clock, deadlines, scope, workers }) }
}

type City = ReturnType<typeof openCity>

const workerOf = (session: string): Worker => ({
  session,
  sessionName: session,
  agent: 'press/hand',
  identity: session,
  names: [session],
  incarnation: '1',
  hosted: true,
})

const callerOf = (session: string) => ({ kind: 'session', city: 'mill', session, names: [session], may: [] }) as const

/** Closed beads with open ones spread among them. */
async function fill({ store, repository }: City): Promise<void> {
  const every = Math.floor(BEADS / OPEN)
  for (let from = 0; from < BEADS; from += 1000) {
    await store.write((tx) => {
      for (let n = from; n < from + 1000; n++) {
        const status = n % every === 0 ? 'open' : 'closed'
        const metadata = { 'gc.routed_to': `press/hand-${n % 7}` }
        repository.add(tx, {
          title: `bead ${n}`,
          status,
          rig: 'press',
          labels: ['a', `l${n % 50}`],
          description: TEXT,
          metadata,
        })
      }
    })
  }
}

const TEXT = 'x'.repeat(200)

/** Percentiles of how long `once` takes, in milliseconds. */
function timed(name: string, times: number, once: () => unknown): void {
  for (let n = 0; n < times / 10; n++) once()
  const took = Array.from({ length: times }, () => {
    const started = performance.now()
    once()
    return performance.now() - started
  }).sort((a, b) => a - b)
  const at = (share: number) => (took[Math.floor(times * share)] ?? 0).toFixed(3)
  say(`  ${name.padEnd(34)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`)
}

function reads({ beads, repository, store }: City): void {
  const ready = beads.ready().value
  say(`reads, ${whole(BEADS)} beads of which ${whole(ready.total)} are ready`)
  timed('ready', 200, () => beads.ready())
  timed('list', 300, () => beads.list({}))
  timed('list, closed too', 300, () => beads.list({ all: true }))
  timed('list by label, closed too', 300, () => beads.list({ all: true, label: 'l7' }))
  timed('counts', 300, () => beads.counts())
  const workload = new Workload(store, clock)
  timed('waiting for an agent', 300, () => workload.unassignedFor('press/hand-3'))
  const bare = store.prepare<{ id: string }, [string]>('SELECT * FROM beads WHERE id = ?')
  const rate = (once: (id: string) => unknown): number => {
    const started = performance.now()
    for (let n = 1; n <= 50_000; n++) once(`pr-${(n * 7919) % BEADS}`)
    return 50_000 / ((performance.now() - started) / 1000)
  }
  rate((id) => repository.find(id))
  const raw = rate((id) => bare.get(id))
  const ours = rate((id) => repository.find(id))
  say(`  get: ${whole(ours)}/s, ${(ours / raw).toFixed(2)} of SELECT * (${whole(raw)}/s)`)
}

/** Writes a second of so many clients, each of which waits for its write before the next. */
async function clients(once: (client: number, turn: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + SECONDS * 1000
  let writes = 0
  const client = async (n: number): Promise<void> => {
    for (let turn = 0; performance.now() < end; turn++) {
      await once(n, turn)
      writes++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => client(n)))
  return writes / SECONDS
}

using folder = tempFolder()
const city = openCity(folder.at('city.db'))
await fill(city)
reads(city)

const body = { title: 'bead', rig: 'press', labels: ['a'], description: TEXT }
const creates = await clients(() => city.beads.create(body))
const raw = new BareWrites(folder.at('bare.db')).creates(WRITERS, SECONDS)
say(
  `create, ${WRITERS} clients: ${whole(creates)}/s, ${(creates / raw).toFixed(2)} of bare bun:sqlite (${whole(raw)}/s)`,
)

const claims = await clients(async (client, turn) => {
  const caller = callerOf(`s${client}-${turn}`)
  const bead = await city.beads.create({ ...body, metadata: { 'gc.routed_to': 'press/hand' } })
  await city.claims.claim(caller, bead.id)
  await city.beads.close(caller, bead.id)
})
say(`create, claim and close, ${WRITERS} clients: ${whole(claims)} beads/s`)
city.deadlines.close()
await city.store.close()
