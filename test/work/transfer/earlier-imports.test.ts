import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { migrate } from '../../../src/core/store/migrate.ts'
import given from '../../../src/work/beads/given.sql' with { type: 'text' }

test('beads that an earlier version imported have the names of bd, and deleted ones are closed', () => {
  using db = new Database(':memory:')
  migrate(db, 'city.db', cityMigrations.slice(0, cityMigrations.indexOf(given)))
  const add = db.prepare(
    `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
       no_history, created_at, updated_at, workable)
     VALUES (?, '', 't', ?, 'task', '', '', '', '', '["a"]', ?, 0, 0, 1, 1, 1)`,
  )
  const imported = { x: '1', 'bd.design': 'd', 'bd.estimated_minutes': '5', 'bd.later': '[1]', 'gc.output_json': null }
  add.run('mi-1', 'open', JSON.stringify(imported))
  add.run('mi-2', 'open', JSON.stringify({ 'bd.notes': 'old', notes: 'new' }))
  add.run('mi-3', 'tombstone', '{}')
  add.run('mi-4', 'open', '{"note":"bd.design"}')
  db.run("INSERT INTO bead_edges (issue_id, depends_on_id, type) VALUES ('mi-1', 'mi-3', 'blocks')")
  migrate(db, 'city.db', cityMigrations)
  const rows = db.query<{ metadata: string }, []>('SELECT metadata FROM beads ORDER BY id').all()
  expect(rows.map(({ metadata }) => JSON.parse(metadata))).toEqual([
    { x: '1', design: 'd', estimated_minutes: '5', 'bd.later': '[1]', 'gc.output_json': null },
    { 'bd.notes': 'old', notes: 'new' },
    {},
    { note: 'bd.design' },
  ])
  expect(db.query('SELECT id, status, closed, ready, blockers FROM beads ORDER BY id').all()).toEqual([
    { id: 'mi-1', status: 'open', closed: 0, ready: 1, blockers: 0 },
    { id: 'mi-2', status: 'open', closed: 0, ready: 1, blockers: 0 },
    { id: 'mi-3', status: 'closed', closed: 1, ready: 0, blockers: 0 },
    { id: 'mi-4', status: 'open', closed: 0, ready: 1, blockers: 0 },
  ])
  const counts = 'SELECT status, n, ready FROM bead_counts WHERE n > 0 ORDER BY status'
  expect(db.query(counts).all()).toEqual([
    { status: 'closed', n: 1, ready: 0 },
    { status: 'open', n: 3, ready: 3 },
  ])
})
