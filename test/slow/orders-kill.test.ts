import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { dice } from './town.ts'

const KILLS = Number(process.env.GC_KILLS ?? 8)

const SETTLED = "SELECT count(*) AS n FROM order_runs WHERE state != 'done'"
const ONCE = 'formula = "once"\nphase = "vapor"\ndescription = "Once"\n[[steps]]\nid = "one"\ntitle = "One"\n'
/** Each leaves a line with the name of its run, which only its start can make. */
const LOGS = 'echo "$GC_PROCESS_ID" >> runs; sleep 0.0$(( $$ % 10 ))'

const ORDERS = {
  beat: `trigger = "cooldown"\ninterval = "1s"\nexec = '''${LOGS}'''`,
  pulse: `trigger = "cooldown"\ninterval = "1s"\nexec = '''${LOGS}; exit 3'''`,
  react: `trigger = "event"\non = "bead.created"\nexec = '''${LOGS}'''`,
  make: 'trigger = "cooldown"\ninterval = "1s"\nformula = "once"\nno_work_gate = true',
}

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

/** Reads the database of a city whose supervisor does not run. */
function readDatabase<Row>(city: TestCity, sql: string): Row[] {
  using db = new Database(join(city.path, '.gc/city.db'))
  return db.query<Row, []>(sql).all()
}

test(
  `over ${KILLS} kills of the supervisor every run of an order is there once, and no event stays uncovered`,
  async () => {
    await using world = await World.open()
    const random = dice(SEED)
    const path = world.folder.at('mill')
    mkdirSync(path)
    writeOrders(path, { orders: ORDERS, formulas: { once: ONCE } })
    const city = await register(world, 'mill', '')
    const created: string[] = []
    for (let kills = 0; kills < KILLS; kills++) {
      const work = (async () => {
        for (;;) {
          const answer = await city.call('POST ~/beads', { body: { title: 'work' } }).catch(() => undefined)
          if (answer?.status !== 201) return
          created.push(answer.body.id)
          await Bun.sleep(20)
        }
      })()
      await Bun.sleep(20 + random() * 600)
      await world.kill()
      await work
      await world.start()
      await eventually(
        'the city is open again',
        20_000,
        () =>
          city
            .call('GET ~/status')
            .then(({ status }) => status)
            .catch(() => 0),
        (status) => status === 200,
      )
    }
    for (const name of Object.keys(ORDERS)) await city.call(`POST ~/order/${name}/disable`)
    await Bun.sleep(1500)
    await city.call('POST ~/order/react/enable')
    await eventually(
      'nothing runs any more',
      20_000,
      async () => readDatabase<{ n: number }>(city, SETTLED)[0]?.n,
      (live) => live === 0,
    )
    await Bun.sleep(1500)
    await world.kill()

    const started = readFileSync(join(path, 'runs'), 'utf8').trim().split('\n')
    expect(started.length).toBe(new Set(started).size)
    const runs = readDatabase<{ id: string; name: string; outcome: string; kind: string; root: string | null }>(
      city,
      'SELECT tracking_id AS id, scoped_name AS name, outcome, kind, root_id AS root FROM order_runs',
    )
    const commands = runs.filter(({ kind }) => kind === 'exec').map(({ id }) => `mill:order/${id}`)
    expect(started.sort()).toEqual(commands.sort())
    expect(runs.filter(({ name, outcome }) => outcome !== (name === 'pulse' ? 'failed' : 'success'))).toEqual([])

    const roots = runs.flatMap(({ root }) => root ?? [])
    const labelled = readDatabase<{ id: string }>(city, "SELECT id FROM bead_labels WHERE label = 'order-run:make'")
    const made = labelled.map(({ id }) => id).filter((id) => !runs.some((run) => run.id === id))
    expect(made.sort()).toEqual(roots.sort())

    const [react] = readDatabase<{ waiting: number; cursor: number }>(
      city,
      "SELECT waiting, cursor FROM order_triggers WHERE scoped_name = 'react'",
    )
    expect(react?.waiting).toBe(0)
    const last = created.at(-1)
    const [newest] = readDatabase<{ seq: number }>(
      city,
      `SELECT max(seq) AS seq FROM events WHERE type = 'bead.created' AND subject = '${last}'`,
    )
    expect(react?.cursor).toBeGreaterThanOrEqual(newest?.seq ?? Number.POSITIVE_INFINITY)
    const pids = readDatabase<{ pid: number | null }>(city, 'SELECT pid FROM order_runs').flatMap(
      ({ pid }) => pid ?? [],
    )
    expect(pids.filter(isAlive)).toEqual([])
  },
  60_000 + KILLS * 5_000,
)
