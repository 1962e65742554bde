import { Database } from 'bun:sqlite'
import { fdatasyncSync, openSync } from 'node:fs'
import { cityMigrations } from '../../../src/city/migrations.ts'

const TEXT = 'x'.repeat(200)

/** The rows of a bead and its event written by hand, so many a commit, each commit on disk before the next. */
export function bareCreates(path: string, group: number, seconds: number): number {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = NORMAL')
  for (const sql of cityMigrations) db.run(sql)
  const number = db.prepare(
    'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
  )
  const bead = db.prepare(
    `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
       no_history, created_at, updated_at, workable)
     VALUES (?, 'press', 'bead', 'open', 'task', '', '', '', ?, '["a"]', '{}', 0, 0, ?, ?, 1)`,
  )
  const event = db.prepare(
    "INSERT INTO events (type, at, actor, subject, run_id, payload) VALUES ('bead.created', ?, 'x', ?, ?, ?)",
  )
  const wal = openSync(`${path}-wal`, 'r')
  const payload = JSON.stringify({ bead: { title: 'bead', description: TEXT, labels: ['a'], status: 'open' } })
  const end = performance.now() + seconds * 1000
  let rows = 0
  while (performance.now() < end) {
    db.run('BEGIN IMMEDIATE')
    for (let n = 0; n < group; n++) {
      const now = Date.now()
      number.get('pr')
      const id = `pr-${++rows}`
      bead.run(id, TEXT, now, now)
      event.run(now, id, id, payload)
    }
    db.run('COMMIT')
    fdatasyncSync(wal)
  }
  db.close()
  return rows / seconds
}
