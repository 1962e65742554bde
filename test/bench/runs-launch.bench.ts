import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { fdatasyncSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { human, openWork } from '../work/world.ts'
import { at, calm, cpu, late, ms, say, Table, whole } from './support/figures.ts'
import { CLERK, chains, declareFormula, formulaText, sling } from './support/formulas.ts'
import { timed } from './support/load.ts'
import { Town } from './support/town.ts'
import { turnsDuring } from './support/turns.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of starting a run and latency of others, beside statements that write the same rows: `bun
 * test/bench/runs-launch.bench.ts [steps…]`.
 */

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100, 5_000]
const BESIDE = 20
const WARM_UP = 3

/** Asks for the least there is, once a millisecond, until something is over. */
async function meanwhile(town: Town, work: Promise<unknown>): Promise<number[]> {
  const wire = await Wire.open(town.url)
  const samples: number[] = []
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    samples.push(...(await timed(wire, '/health', 1)))
    await Bun.sleep(1)
  }
  await ended
  wire.close()
  return samples
}

/** The rows that a launch wrote, by their tables. */
const TABLES = ['beads', 'bead_edges', 'runs', 'run_recipes', 'events']

/** Time the same rows take to write by statements alone, in one commit that is on disk. */
function bare(from: string, to: string): { rows: number; took: number } {
  using source = new Database(from, { readonly: true })
  using db = new Database(to, { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = NORMAL')
  for (const sql of cityMigrations) db.run(sql)
  const written = TABLES.map((table) => {
    const columns = source
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
    const insert = db.prepare<unknown, SQLQueryBindings[]>(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    return { insert, rows: source.query(`SELECT ${columns.join(', ')} FROM ${table}`).values() }
  })
  db.run('BEGIN IMMEDIATE; COMMIT')
  const wal = openSync(`${to}-wal`, 'r')
  const started = performance.now()
  db.run('BEGIN IMMEDIATE')
  for (const { insert, rows } of written) for (const row of rows) insert.run(...(row as SQLQueryBindings[]))
  db.run('COMMIT')
  fdatasyncSync(wal)
  return { rows: written.reduce((sum, { rows }) => sum + rows.length, 0), took: performance.now() - started }
}

async function measure(steps: number, table: Table): Promise<void> {
  await using town = await Town.open()
  await town.city('mill', CLERK)
  declareFormula(town, 'mill', 'warm', chains(5, 2))
  declareFormula(town, 'mill', 'big', chains(steps, BESIDE))
  for (let n = 0; n < WARM_UP; n++) await sling(town, 'mill', 'warm')
  await town.stop()
  const path = town.at('mill', '.gc', 'city.db')
  using before = new Database(path)
  for (const name of ['beads', 'bead_edges', 'runs', 'run_recipes', 'events']) before.run(`DELETE FROM ${name}`)
  before.close()
  await town.start()
  await calm(town.pid)
  const [started, busy] = [performance.now(), cpu(town.pid)]
  const samples = await meanwhile(town, sling(town, 'mill', 'big'))
  const took = performance.now() - started
  await calm(town.pid)
  say(`${whole(steps)} steps: ${ms(cpu(town.pid) - busy)} of processor time until all is calm`)
  await town.stop()
  const raw = bare(path, town.at('bare.db'))
  const ratio = took / raw.took
  table.row(`${whole(steps)} steps slung`, `${ms(took)}, ${ratio.toFixed(1)} × statements`)
  table.row(`  its ${whole(raw.rows)} rows by statements alone`, ms(raw.took))
  table.row('  `/health` meanwhile', late(samples), 'p99 < 20 ms', at(samples, 0.99) < 20)
}

/** Beads that wait for each other in a row, as one request. */
const BULK = {
  beads: Array.from({ length: 100 }, (_, n) => ({
    ...{ name: `n${n}`, title: `bead ${n}`, labels: ['a'], description: 'x'.repeat(200) },
    ...(n > 0 && { needs: [`n${n - 1}`] }),
  })),
}

/** Latency of others while many beads are created together, repeatedly. */
async function bulk(table: Table): Promise<void> {
  await using town = await Town.open()
  const city = await town.city('mill', CLERK)
  const creates = (times: number) =>
    town.once(async (wire) => {
      for (let n = 0; n < times; n++) {
        await wire.json('POST', `${city}/beads/bulk`, BULK)
        await Bun.sleep(50)
      }
    })
  await creates(20)
  await calm(town.pid)
  const samples = await meanwhile(town, creates(40))
  table.row('100 beads in one request: `/health` meanwhile', late(samples), 'p99 < 10 ms', at(samples, 0.99) < 10)
}

/** The longest turns of the loop in a city of this process: processor time, which does not know what else the machine does. */
async function turns(table: Table): Promise<void> {
  await using work = await openWork({ toml: CLERK })
  const folder = join(work.town.path, 'formulas')
  mkdirSync(folder)
  const longest = (samples: readonly number[]) => `longest ${ms(Math.max(...samples))}`
  const row = (what: string, samples: readonly number[], target: number) =>
    table.row(what, longest(samples), `< ${target} ms`, Math.max(...samples) < target)
  for (const steps of SIZES) {
    writeFileSync(join(folder, `big${steps}.toml`), formulaText(`big${steps}`, chains(steps, BESIDE)))
    const launch = () => work.sling.sling(human, { target: 'clerk', formula: `big${steps}` })
    await launch()
    await work.settled()
    row(`${whole(steps)} steps slung: a turn of the loop`, await turnsDuring(launch), 20)
    await work.settled()
  }
  const create = () => work.beads.bulk.create(human, BULK)
  for (let n = 0; n < WARM_UP; n++) await create()
  await work.settled()
  row('100 beads in one request: a turn of the loop', await turnsDuring(create), 10)
}

const table = new Table()
await turns(table)
await bulk(table)
for (const steps of SIZES) await measure(steps, table)
table.print('starting a run')
