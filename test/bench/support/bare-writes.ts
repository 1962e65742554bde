import { Database } from 'bun:sqlite'
import { fdatasyncSync, openSync } from 'node:fs'
import { cityMigrations } from '../../../src/city/database/migrations.ts'

const TEXT = 'x'.repeat(200)

const CREATED = JSON.stringify({ bead: { title: 'bead', description: TEXT, labels: ['a'], status: 'open' } })
const CLOSED = CREATED.replace('open', 'closed')
const CLAIMED = CREATED.replace('open', 'in_progress')

/** A bead as it is written by hand. */
export interface BareBead {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly status: string
  readonly at: number
  readonly labels: string
  readonly metadata: string
  /** The beads that it waits for. */
  readonly needs: readonly string[]
  /** The payload of its event. */
  readonly payload: string
}

/** Number that were written a second, and this process's processor time for one in microseconds. */
export interface BareRate {
  rate: number
  micros: number
}

/** The rows of work written by hand into a city's tables, so many a commit, each commit on disk before the next. */
export class BareWrites {
  readonly #db: Database
  readonly #wal: number
  #created = 0
  #ended = 0

  constructor(path: string) {
    this.#db = new Database(path, { create: true, strict: true })
    this.#db.run('PRAGMA journal_mode = WAL')
    this.#db.run('PRAGMA synchronous = NORMAL')
    this.#db.run('PRAGMA cache_size = -32768')
    const isNew = !this.#db.query("SELECT 1 FROM sqlite_schema WHERE name = 'beads'").get()
    if (isNew) for (const sql of cityMigrations) this.#db.run(sql)
    this.#db.run('BEGIN IMMEDIATE; COMMIT')
    this.#wal = openSync(`${path}-wal`, 'r')
  }

  /** Beads created a second: the bead, its label, counters and event. */
  creates(group: number, seconds: number): BareRate {
    const number = this.#db.prepare(
      'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
    )
    const bead = this.#db.prepare(
      `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
         no_history, created_at, updated_at, workable)
       VALUES (?, 'press', 'bead', 'open', 'task', '', '', '', ?, '["a"]', '{}', 0, 0, ?, ?, 1)`,
    )
    const event = this.#event('bead.created')
    return this.#rate(group, seconds, () => {
      const now = Date.now()
      number.get('raw')
      const id = `raw-${++this.#created}`
      bead.run(id, TEXT, now, now)
      event.run(now, id, id, CREATED)
      return true
    })
  }

  /** These beads written a second: each with its labels, counters, dependencies and event. */
  imports(beads: readonly BareBead[], group: number): BareRate {
    const bead = this.#db.prepare(
      `INSERT INTO beads (id, rig, title, status, type, priority, assignee, sender, ref, description, labels, metadata,
         ephemeral, no_history, created_at, updated_at, workable)
       VALUES (?, '', ?, ?, 'task', 2, '', '', '', ?, ?, ?, 0, 0, ?, ?, 1)`,
    )
    const edge = this.#db.prepare("INSERT INTO bead_edges (issue_id, depends_on_id, type) VALUES (?, ?, 'blocks')")
    const event = this.#event('bead.created')
    const left = beads[Symbol.iterator]()
    return this.#rate(group, Number.POSITIVE_INFINITY, () => {
      const { done, value } = left.next()
      if (done) return false
      const { id, title, description, status, at, labels, metadata, needs, payload } = value
      bead.run(id, title, status, description, labels, metadata, at, at)
      for (const need of needs) edge.run(id, need)
      event.run(at, id, id, payload)
      return true
    })
  }

  /** Beads closed a second, of those that were created. */
  closes(group: number, seconds: number): BareRate {
    const bead = this.#db.prepare("UPDATE beads SET status = 'closed', updated_at = ? WHERE id = ?")
    const event = this.#event('bead.closed')
    return this.#rate(group, seconds, () => {
      if (this.#ended === this.#created) return false
      const [now, id] = [Date.now(), `raw-${++this.#ended}`]
      bead.run(now, id)
      event.run(now, id, id, CLOSED)
      return true
    })
  }

  /** Beads claimed a second, of those that were created. */
  claims(group: number, seconds: number): BareRate {
    const bead = this.#db.prepare(
      "UPDATE beads SET status = 'in_progress', assignee = 'hand', updated_at = ? WHERE id = ?",
    )
    const claim = this.#db.prepare(
      `INSERT INTO claims (bead_id, epoch, session, session_name, incarnation, identity, assigned, taken_at)
       VALUES (?, 1, 'hand', 'hand', '1', 'hand', 0, ?)`,
    )
    const event = this.#event('bead.updated')
    return this.#rate(group, seconds, () => {
      if (this.#ended === this.#created) return false
      const [now, id] = [Date.now(), `raw-${++this.#ended}`]
      bead.run(now, id)
      claim.run(id, now)
      event.run(now, id, id, CLAIMED)
      return true
    })
  }

  close(): void {
    this.#db.close()
  }

  #event(type: string) {
    return this.#db.prepare(
      `INSERT INTO events (type, at, actor, subject, run_id, payload) VALUES ('${type}', ?, 'x', ?, ?, ?)`,
    )
  }

  #rate(group: number, seconds: number, one: () => boolean): BareRate {
    const [started, before] = [performance.now(), process.cpuUsage()]
    let [written, more] = [0, true]
    while (more && performance.now() < started + seconds * 1000) {
      this.#db.run('BEGIN IMMEDIATE')
      for (let n = 0; more && n < group; n++) {
        more = one()
        if (more) written++
      }
      this.#db.run('COMMIT')
      fdatasyncSync(this.#wal)
    }
    const { user, system } = process.cpuUsage(before)
    return { rate: written / ((performance.now() - started) / 1000), micros: (user + system) / written }
  }
}
