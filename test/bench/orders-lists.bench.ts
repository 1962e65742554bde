import { Database } from 'bun:sqlite'
import { at, both, calm, ms, say, Table, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Response times of lists and the feed in a city with a million and ten million order runs. `npm run bench
 * orders-lists`, with sizes of your own: `bun test/bench/orders-lists.bench.ts [runs] [runs]`.
 */

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 10_000_000]
const ORDERS = 100
const TIMES = 1000

/** Runs are kept for a week once they are over. */
const SPAN = 6 * 86_400_000
const START = Date.now() - SPAN

/** Runs of a hundred orders of the city and a rig, evenly over the last days; one in a hundred failed. */
function fill(path: string, runs: number): void {
  using db = new Database(path, { strict: true })
  db.run('PRAGMA synchronous = OFF')
  db.run(
    `WITH RECURSIVE run(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM run WHERE n < ${runs})
     INSERT INTO order_runs (tracking_id, scoped_name, rig, kind, cause, state, created_at, timeout_ms, started_at, ended_at,
       outcome, exit_code, has_output)
     SELECT 'old-' || n, 'order-' || (n % ${ORDERS}) || iif(n % 2, '', ':rig:shop'), iif(n % 2, '', 'shop'), 'exec', 'cooldown',
       'done', at, 300000, at, at + 500, iif(n % 100, 'success', 'failed'), n % 100 = 0, 0
       FROM (SELECT n, ${START} + n * ${SPAN} / ${runs} AS at FROM run)`,
  )
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

const reads = (city: string): [what: string, path: string][] => {
  const middle = encodeURIComponent(new Date(START + SPAN / 2).toISOString())
  return [
    ['history of an order', '/orders/history?scoped_name=order-7'],
    ['history of an order, half way back', `/orders/history?scoped_name=order-7&before=${middle}`],
    ['history of an order, 100', '/orders/history?scoped_name=order-7&limit=100'],
    ['runs of every order', '/order-runs'],
    ['a run', '/order/history/old-77'],
    ['feed of the city', `/orders/feed?scope_kind=city&scope_ref=${city}`],
    ['feed of a rig', '/orders/feed?scope_kind=rig&scope_ref=shop'],
  ]
}

const table = new Table()
await using town = await Town.open()
for (const runs of SIZES) {
  const name = `runs${runs}`
  const city = await town.city(name, '[[rigs]]\nname = "shop"\npath = "shop"\n')
  await town.stop()
  const started = performance.now()
  fill(town.at(name, '.gc', 'city.db'), runs)
  say(`${whole(runs)} runs written in ${ms(performance.now() - started)}`)
  await town.start()
  await took(() => town.answers(`${city}/status`))
  await calm(town.pid)
  const wire = await Wire.open(town.url)
  for (const [what, path] of reads(name)) {
    const samples: number[] = []
    for (let n = 0; n < TIMES; n++) {
      const before = performance.now()
      const { status } = await wire.ask('GET', `${city}${path}`)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      samples.push(performance.now() - before)
    }
    const p99 = at(samples, 0.99)
    table.row(`${what}, ${whole(runs)} runs`, both(samples), 'p99 < 5 ms', p99 < 5)
  }
  wire.close()
}
table.print(`lists of the runs of ${ORDERS} orders`)
