import { query } from '../../src/core/store/index.ts'
import { human } from '../../src/http/guard.ts'
import { openWork, type Work } from '../work/world.ts'
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

/** Closed beads with open ones spread among them. */
async function fill({ store, beadRepository, clock }: Work): Promise<void> {
  const every = Math.floor(BEADS / OPEN)
  for (let from = 0; from < BEADS; from += 1000) {
    await store.write((tx) => {
      for (let n = from; n < from + 1000; n++) {
        const status = n % every === 0 ? 'open' : 'closed'
        const metadata = { 'gc.routed_to': `press/hand-${n % 7}` }
        clock.stop(1)
        beadRepository.add(tx, {
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

function reads({ beads, beadRepository, store, workload }: Work): void {
  const ready = beads.ready().value
  say(`reads, ${whole(BEADS)} beads of which ${whole(ready.total)} are ready`)
  timed('ready', 200, () => beads.ready())
  timed('list', 300, () => beads.list({}))
  timed('list, closed too', 300, () => beads.list({ all: true }))
  timed('list by label, closed too', 300, () => beads.list({ all: true, label: 'l7' }))
  timed('counts', 300, () => beads.counts())
  timed('waiting for an agent', 300, () => workload.unassignedFor('press/hand-3'))
  const bare = query<{ id: string }, [string]>('SELECT * FROM beads WHERE id = ?')
  const rate = (once: (id: string) => unknown): number => {
    const started = performance.now()
    for (let n = 1; n <= 50_000; n++) once(`pr-${(n * 7919) % BEADS}`)
    return 50_000 / ((performance.now() - started) / 1000)
  }
  rate((id) => beadRepository.find(id))
  const raw = rate((id) => store.get(bare, id))
  const ours = rate((id) => beadRepository.find(id))
  say(`  get: ${whole(ours)}/s, ${(ours / raw).toFixed(2)} of SELECT * (${whole(raw)}/s)`)
}

/** Writes a second of so many clients, each of which waits for its write before the next. */
async function clients(once: (client: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + SECONDS * 1000
  let writes = 0
  const client = async (n: number): Promise<void> => {
    while (performance.now() < end) {
      await once(n)
      writes++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => client(n)))
  return writes / SECONDS
}

await using city = await openWork()
const sessions = await Promise.all(Array.from({ length: WRITERS }, (_, n) => city.session(`s${n}`)))
const callers = sessions.map(({ id }) => city.caller(id))
await fill(city)
reads(city)

const body = { title: 'bead', rig: 'press', labels: ['a'], description: TEXT }
const creates = await clients(() => city.beads.create(human, body))
const { rate: raw } = new BareWrites(city.town.folder.at('bare.db')).creates(WRITERS, SECONDS)
say(
  `create, ${WRITERS} clients: ${whole(creates)}/s, ${(creates / raw).toFixed(2)} of bare bun:sqlite (${whole(raw)}/s)`,
)

const claims = await clients(async (client) => {
  const caller = callers[client]
  if (!caller) throw new Error(`there is no session ${client}`)
  const bead = await city.beads.create(human, { ...body, metadata: { 'gc.routed_to': 'press/hand' } })
  await city.claims.claim(caller, bead.id)
  await city.beads.close(caller, bead.id)
})
say(`create, claim and close, ${WRITERS} clients: ${whole(claims)} beads/s`)
