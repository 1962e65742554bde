import { type BareBead, BareWrites } from './support/bare-writes.ts'
import { at, cpu, late, median, say, Table, whole } from './support/figures.ts'
import { poll } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of importing beads into a growing city, beside bare bun:sqlite with the same parsed rows, commits, indexes and
 * triggers; and the latency of others. `bun test/bench/import.bench.ts [beads]`.
 */

const BEADS = Number(process.argv[2] ?? 100_000)
const PER_FILE = 20_000
const TARGET = 30_000
const TEXT = 'What has to be done, and how one sees that it is done. '.repeat(4)

/** One bead in twenty is open, one in five waits for another. */
function beadOf(n: number) {
  const created = new Date(1.7e12 + n * 1000).toISOString()
  return {
    ...{ id: `town-${n}`, title: `bead ${n} of many`, description: TEXT, issue_type: 'task', priority: 2 },
    ...{ status: n % 20 === 0 ? 'open' : 'closed', created_at: created, updated_at: created },
    labels: ['a', `l${n % 50}`],
    metadata: { 'gc.routed_to': `hand-${n % 7}` },
    dependencies: n % 5 === 0 && n > 10 ? [{ depends_on_id: `town-${n - 3}`, type: 'blocks' }] : [],
  }
}

const line = (n: number): string => JSON.stringify(beadOf(n))

function bareBead(n: number): BareBead {
  const bead = beadOf(n)
  const { id, title, description, status, labels, metadata, dependencies } = bead
  return {
    ...{ id, title, description, status, at: Date.parse(bead.created_at) },
    ...{ labels: JSON.stringify(labels), metadata: JSON.stringify(metadata) },
    needs: dependencies.map(({ depends_on_id }) => depends_on_id),
    payload: JSON.stringify({ bead }),
  }
}

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'x-gc-request': '1' }, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

/** Cost of each file: processor time for a bead in microseconds, and seconds. */
async function imports(town: Town, url: string): Promise<{ micros: number; seconds: number }[]> {
  const steps: { micros: number; seconds: number }[] = []
  for (let from = 1; from <= BEADS; from += PER_FILE) {
    const lines = Array.from({ length: PER_FILE }, (_, index) => line(from + index))
    const [before, started] = [cpu(town.pid), performance.now()]
    await post(url, lines.join('\n'))
    const micros = ((cpu(town.pid) - before) * 1000) / PER_FILE
    steps.push({ micros, seconds: (performance.now() - started) / 1000 })
    say(`  ${whole(from + PER_FILE - 1)} beads: ${micros.toFixed(0)} µs of processor a bead`)
  }
  return steps
}

await using town = await Town.open()
const city = await town.city('town')
const wire = await Wire.open(town.url)
let isDone = false
const samples: number[] = []
const polling = (async () => {
  while (!isDone) samples.push(...(await poll(wire, '/health', 1)))
})()
const steps = await imports(town, `${town.url}${city}/beads/import`)
const micros = steps.map((step) => step.micros)
const rate = BEADS / steps.reduce((sum, { seconds }) => sum + seconds, 0)
isDone = true
await polling
wire.close()
const raw = new BareWrites(town.at('bare.db'))
const bare = raw.imports(
  Array.from({ length: BEADS }, (_, n) => bareBead(n + 1)),
  PER_FILE,
)
raw.close()

const table = new Table()
const ours = median(micros)
table.row(
  'import',
  `${whole(rate)} beads/s; ${ours.toFixed(0)} µs of processor a bead`,
  `≥ ${whole(TARGET)}/s`,
  rate >= TARGET,
)
table.row(
  '  beside bun:sqlite',
  `${(ours / bare.micros).toFixed(2)} × the processor of the same rows (${bare.micros.toFixed(0)} µs, ${whole(bare.rate)}/s)`,
)
const growth = (micros.at(-1) ?? 0) / (micros[1] ?? 0)
table.row('  the last file beside the second', `${growth.toFixed(2)} ×`, '≤ 1.3 ×', growth <= 1.3)
table.row('  /health meanwhile', late(samples), 'p99 < 50 ms', at(samples, 0.99) < 50)
table.print(`${whole(BEADS)} beads imported in files of ${whole(PER_FILE)}`)
