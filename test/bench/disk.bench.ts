import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { systemClock as clock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { EventLog } from '../../src/core/events/log.ts'
import { Store } from '../../src/core/store/store.ts'
import { BeadReader } from '../../src/work/beads/reader.ts'
import { BeadRepository } from '../../src/work/beads/repository.ts'
import { tempFolder } from '../support/folder.ts'
import { Table, whole } from './support/figures.ts'

/** Disk space of a closed bead and an event, beside the bytes that clients see. `npm run bench disk`. */

const BEADS = 20_000
const SLICE = 500
const TEXT = 'What has to be done, and how one sees that it is done. '.repeat(4)

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

/** Works through beads as a city does; the bytes of what clients see of one bead and of one event. */
async function work(path: string) {
  const store = Store.open(path, cityMigrations)
  const deadlines = new Deadlines(clock)
  const log = new EventLog(store, clock, deadlines)
  const report = (problem: unknown) => void process.stderr.write(`${problem}\n`)
  const scope = { current: { name: 'mill', prefix: 'mi', rigs: [] } }
  const beads = new BeadRepository(
    { store, log, clock, deadlines, report, reportError: report },
    scope,
    new BeadReader(store),
  )
  for (let from = 0; from < BEADS; from += SLICE) {
    await store.write((tx) => {
      for (let n = from; n < from + SLICE; n++) {
        const draft = {
          title: `bead ${n}`,
          description: TEXT,
          labels: ['a', `l${n % 50}`],
          metadata: { 'gc.routed_to': 'hand' },
        }
        const { id } = beads.add(tx, draft)
        beads.change(tx, id, { status: 'in_progress', assignee: 'hand' })
        beads.close(tx, id, 'done')
      }
    })
  }
  const seen = { bead: JSON.stringify(beads.get('mi-1')).length, event: JSON.stringify(log.after(0, 1)[0]).length }
  const events = log.head
  deadlines.close()
  await store.close()
  return { ...seen, events }
}

/** Bytes of the file without what these statements take away. */
function without(path: string, ...statements: string[]): number {
  const db = new Database(path)
  for (const sql of [...statements, 'VACUUM']) db.run(sql)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return sizeOf(path)
}

using folder = tempFolder()
const path = folder.at('city.db')
const { bead, event, events } = await work(path)
const all = without(path)
const beadsOnly = without(path, 'DELETE FROM events')
const nothing = without(path, 'DELETE FROM bead_labels', 'DELETE FROM beads')
const table = new Table()
const row = (what: string, bytes: number, seen: number) =>
  table.row(what, `${whole(bytes)} bytes, ${(bytes / seen).toFixed(2)} × the ${seen} that clients see`)
row('a closed bead', (beadsOnly - nothing) / BEADS, bead)
row('an event', (all - beadsOnly) / events, event)
row('a bead with the events of its life', (all - nothing) / BEADS, bead + (event * events) / BEADS)
table.print(`on disk, after ${whole(BEADS)} beads that were created, taken up and closed`)
