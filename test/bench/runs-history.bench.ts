import { Database } from 'bun:sqlite'
import { at, atRest, both, calm, children, cpu, ms, reaped, Table, took, whole } from './support/figures.ts'
import { CLERK, declareFormula } from './support/formulas.ts'
import { inTurns, load } from './support/load.ts'
import { fillRuns } from './support/run-fill.ts'
import { Town } from './support/town.ts'

/**
 * Cost of reading runs with a long history, beside the bare statements, and of runs that wait for people: `bun
 * test/bench/runs-history.bench.ts [runs] [waiting] [seconds]`.
 */

const MANY = Number(process.argv[2] ?? 100_000)
const WAITING = Number(process.argv[3] ?? 10_000)
const SECONDS = Number(process.argv[4] ?? 30)
const FEW = 1_000
const READS = 400

/** Requests, with the statement that reads the same rows and the maximum time of the largest response. */
const PATHS = [
  { path: 'runs', sql: 'SELECT * FROM runs ORDER BY list_rank, updated_at DESC, root_id LIMIT 201' },
  { path: 'runs/census', sql: 'SELECT state, n FROM run_state_counts' },
  {
    path: 'formulas/feed?scope_kind=city&scope_ref=',
    sql: 'SELECT * FROM runs ORDER BY feed_rank, updated_at DESC, root_id LIMIT 50',
  },
  { path: 'runs/', sql: 'SELECT * FROM runs WHERE root_id = ?' },
]

/** Time a statement takes automatically. */
function bare(db: Database, sql: string, id: string): number[] {
  const statement = db.prepare<unknown, string[]>(sql)
  const params = sql.includes('?') ? [id] : []
  return Array.from({ length: READS }, () => {
    const started = performance.now()
    statement.all(...params)
    return performance.now() - started
  })
}

async function reads(town: Town, table: Table): Promise<void> {
  for (const name of ['few', 'many']) await town.city(name, CLERK)
  await town.stop()
  fillRuns(town.at('few', '.gc', 'city.db'), 'few', FEW)
  fillRuns(town.at('many', '.gc', 'city.db'), 'many', MANY)
  using db = new Database(town.at('many', '.gc', 'city.db'), { readonly: true })
  const statements = PATHS.map(({ sql }) => bare(db, sql, `many-${MANY - 1}`))
  db.close()
  await town.start()
  for (const name of ['few', 'many']) await took(() => town.answers(`/v0/city/${name}/status`))
  await calm(town.pid)
  for (const [index, { path }] of PATHS.entries()) {
    const ends: Record<string, string> = { few: `few-${FEW - 1}`, many: `many-${MANY - 1}` }
    const full = (name: string) => (path.endsWith('=') ? path + name : path.endsWith('/') ? path + ends[name] : path)
    const targets = ['few', 'many'].map((name) => ({
      pid: town.pid,
      url: town.url,
      path: `/v0/city/${name}/${full(name)}`,
    }))
    const [few, many] = await inTurns(targets, READS)
    const samples = many?.samples ?? []
    table.row(`GET ${path}, ${whole(MANY)} runs over`, both(samples), 'p99 < 5 ms', at(samples, 0.99) < 5)
    table.row(`  with ${whole(FEW)}`, both(few?.samples ?? []))
    table.row('  the statement alone', both(statements[index] ?? []))
  }
}

/** Runs that wait for a person. */
async function waiting(town: Town, table: Table): Promise<void> {
  const city = await town.city('gates', CLERK)
  const gate = '[[steps]]\nid = "sign"\ntitle = "Sign"\n[steps.gate]\ntype = "human"\n'
  declareFormula(town, 'gates', 'signed', gate)
  let left = WAITING
  await load(town, 8, 3_600, (wire) =>
    left-- > 0 ? wire.json('POST', `${city}/sling`, { target: 'clerk', formula: 'signed' }) : undefined,
  )
  const { status_counts: counts } = await town.once((wire) => wire.json('GET', `${city}/runs/census`))
  await atRest(town.pid)
  const look = () => ({ cpu: cpu(town.pid), started: `${reaped(town.pid)} ${children(town.pid).join()}` })
  const before = look()
  await Bun.sleep(SECONDS * 1000)
  const after = look()
  const share = (after.cpu - before.cpu) / SECONDS / 10
  const what = `${whole(counts.waiting)} runs that wait, for ${SECONDS} s`
  table.row(what, `${share.toFixed(2)} % of a core`, '< 0.5 %', share < 0.5 && counts.waiting === WAITING)
  table.row(
    '  processes started',
    before.started === after.started ? '0' : 'some',
    '0',
    before.started === after.started,
  )
  const wire = (path: string) => town.once((each) => each.json('GET', `${city}/${path}`))
  const started = performance.now()
  await wire('runs')
  table.row('  GET runs, once', ms(performance.now() - started))
}

await using town = await Town.open()
const table = new Table()
await reads(town, table)
await waiting(town, table)
table.print('runs that are over, and runs that wait')
