import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { migrate } from '../../src/core/store/migrate.ts'
import blockers from '../../src/work/beads/blockers.sql' with { type: 'text' }

const INSERT = `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata,
  ephemeral, no_history, created_at, updated_at, workable)
  VALUES (?1, '', ?1, 'open', 'task', '', '', '', '', '["red"]', '{}', 0, 0, 1, 1, 1)`

/** A database of the version before blockers were counted by bead, in which `mi-2` is stuck. */
export function writeOlderDatabase(city: string): void {
  mkdirSync(join(city, '.gc'), { recursive: true })
  using db = new Database(join(city, '.gc/city.db'), { strict: true })
  db.run('PRAGMA journal_mode = WAL')
  migrate(db, 'city.db', cityMigrations.slice(0, cityMigrations.indexOf(blockers)))
  for (const id of ['mi-1', 'mi-2', 'mi-3']) db.run(INSERT, [id])
  db.run(`INSERT INTO bead_edges (issue_id, depends_on_id, type)
    VALUES ('mi-2', 'mi-1', 'blocks'), ('mi-2', 'mi-1', 'waits-for'), ('mi-3', 'mi-2', 'blocks')`)
  db.run("UPDATE beads SET status = 'closed' WHERE id = 'mi-1'")
}
