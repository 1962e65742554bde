import { at, both, calm, memory, ms, say, Table, whole } from './support/figures.ts'
import { CLERK, chains, declareFormula, sling } from './support/formulas.ts'
import { load } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Delay before the next step of a run can be claimed, and the cost of a very long run: `bun
 * test/bench/runs-steps.bench.ts [steps a second] [seconds] [steps of the long run]`.
 */

const RATE = Number(process.argv[2] ?? 100)
const SECONDS = Number(process.argv[3] ?? 20)
const LONG = Number(process.argv[4] ?? 99_000)
const BESIDE = 20
const PASSED = { status: 'closed', metadata: { 'gc.outcome': 'pass' } }

interface Member {
  id: string
  ref?: string
}

/** The ids of a run's beads by the ids of their steps. */
async function membersOf(town: Town, city: string, root: string): Promise<Map<string, string>> {
  const { items } = await town.once((wire) => wire.json('GET', `/v0/city/${city}/beads/graph/${root}/beads?limit=1000`))
  return new Map(items.map(({ id, ref = '' }: Member) => [ref.slice(ref.indexOf('.') + 1), id]))
}

/** Closes a step and waits until the next in its row is free; how long that took, with the way there and back. */
async function follow(wire: Wire, path: string, step: string, next: string): Promise<number> {
  const started = performance.now()
  await wire.json('POST', `${path}/bead/${step}/update`, PASSED)
  for (;;) {
    const { is_blocked: isBlocked } = await wire.json('GET', `${path}/bead/${next}`)
    if (!isBlocked) return performance.now() - started
    // Asking without a pause would be most of the work of the server.
    await Bun.sleep(1)
  }
}

/** Steps that are closed at a steady rate, in runs of rows beside each other; a control stands between two of a row. */
async function steady(town: Town, kind: string, more: string, suffix: string, table: Table): Promise<void> {
  const perRun = 200
  declareFormula(town, 'mill', kind, chains(perRun, BESIDE, more))
  const rows: string[][] = []
  const wanted = RATE * SECONDS
  for (let planned = 0; planned < wanted; planned += perRun - BESIDE) {
    const ids = await membersOf(town, 'mill', await sling(town, 'mill', kind))
    for (let row = 0; row < BESIDE; row++) {
      rows.push(Array.from({ length: perRun / BESIDE }, (_, n) => ids.get(`s${row + n * BESIDE}${suffix}`) ?? ''))
    }
  }
  await calm(town.pid)
  const wires = await Promise.all(Array.from({ length: BESIDE }, () => Wire.open(town.url)))
  const samples: number[] = []
  const started = performance.now()
  let due = 0
  const client = async (wire: Wire): Promise<void> => {
    for (let row = rows.pop(); row; row = rows.pop()) {
      for (let n = 0; n + 1 < row.length; n++) {
        const wait = started + (due++ * 1000) / RATE - performance.now()
        if (wait > 0) await Bun.sleep(wait)
        samples.push(await follow(wire, '/v0/city/mill', row[n] ?? '', row[n + 1] ?? ''))
      }
    }
  }
  await Promise.all(wires.map(client))
  const rate = samples.length / ((performance.now() - started) / 1000)
  for (const wire of wires) wire.close()
  const met = at(samples, 0.5) < 5 && at(samples, 0.99) < 20
  table.row(`a ${kind} closed → the next free, ${whole(rate)} steps/s`, both(samples), 'p50 < 5 ms, p99 < 20 ms', met)
}

/** A run of very many steps from its start to its end. */
async function long(town: Town, table: Table): Promise<void> {
  declareFormula(
    town,
    'mill',
    'long',
    `[[steps]]\nid = "all"\ntitle = "All"\n[steps.loop]\ncount = ${LONG}\n[[steps.loop.body]]\nid = "s"\ntitle = "S"\n`,
  )
  await calm(town.pid)
  const before = memory(town.pid).own
  const started = performance.now()
  const root = await sling(town, 'mill', 'long')
  const slung = performance.now() - started
  await calm(town.pid)
  const [, prefix = '', first = ''] = /^(.+-)(\d+)$/.exec(root) ?? []
  const peaks: number[] = []
  const times: number[] = []
  const close = async (wire: Wire, step: number) => {
    const since = performance.now()
    await wire.json('POST', `/v0/city/mill/bead/${prefix}${Number(first) + step}/update`, PASSED)
    times.push(performance.now() - since)
    if (step % 1000 === 1) peaks.push(memory(town.pid).own)
  }
  await load(town, 1, 3_600, (wire, n) => (n < LONG ? close(wire, n + 1) : undefined))
  say(`${whole(LONG)} steps: slung in ${ms(slung)}, worked through in ${ms(performance.now() - started - slung)}`)
  const tenth = Math.floor(times.length / 10)
  table.row('  a step closed, of the first tenth', both(times.slice(0, tenth)))
  table.row('  of the last tenth', both(times.slice(-tenth)))
  table.row(
    '  memory before, after starting it, at most',
    `${[before, peaks[0] ?? 0, Math.max(...peaks)].map(whole).join(', ')} MB`,
  )
}

await using town = await Town.open()
await town.city('mill', CLERK)
const table = new Table()
await steady(town, 'step', '', '', table)
await steady(town, 'retried-step', '[steps.retry]\nmax_attempts = 2\n', '.attempt.1', table)
await long(town, table)
table.print('the steps of runs')
