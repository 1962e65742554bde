import { existsSync, readFileSync, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { systemClock } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { EventLog } from '../../core/events/index.ts'
import { Store, type Tx } from '../../core/store/index.ts'
import { repairCityCounters } from '../counters/index.ts'
import { checkCityDatabase, cityMigrations } from '../database/index.ts'
import { CitySuspended } from '../events.ts'
import { BACKUP_DB } from './contents.ts'
import type { Manifest } from './manifest.ts'

const SITE_FILE = '.gc/site.toml'
const CITY_DB = '.gc/city.db'

/**
 * Turns the backup unpacked in `folder` into a city that will lie at `path`. It is suspended until a person resumes it.
 * The programs of its sessions do not run here, so each session counts as lost: its token is void, its worktree stays
 * with the original, and its claims are offered again when the city is opened.
 */
export async function adoptBackup(folder: string, path: string, manifest: Manifest): Promise<void> {
  checkCityDatabase(join(folder, BACKUP_DB))
  renameSync(join(folder, BACKUP_DB), join(folder, CITY_DB))
  await relocateRigs(join(folder, SITE_FILE), manifest.path, path)
  const store = Store.open(join(folder, CITY_DB), cityMigrations, {
    onMigrated: (db) => void repairCityCounters(db),
  })
  const deadlines = new Deadlines()
  try {
    const log = new EventLog(store, systemClock, deadlines)
    await store.write((tx) => {
      detachSessions(tx, manifest.path, path)
      tx.orm.run(sql`INSERT OR REPLACE INTO suspensions (kind, name, suspended) VALUES ('city', '', 1)`)
      const message = `restored from the backup of ${manifest.at}`
      log.append(tx, CitySuspended, { actor: 'gc', message }, {})
    })
  } finally {
    deadlines.close()
    await store.close()
  }
}

function detachSessions(tx: Tx, from: string, to: string): void {
  tx.orm.run(sql`DELETE FROM session_tokens`)
  tx.orm.run(sql`DELETE FROM worktrees`)
  tx.orm.run(sql`UPDATE sessions SET host_key = 'elsewhere/' || host_key WHERE host_key IS NOT NULL`)
  const inside = sql`substr(work_dir, 1, ${from.length + 1}) = ${`${from}/`} OR work_dir = ${from}`
  tx.orm.run(sql`UPDATE sessions SET work_dir = ${to} || substr(work_dir, ${from.length + 1}) WHERE ${inside}`)
}

/** Rigs inside the city folder move with it; others stay where they are. */
async function relocateRigs(site: string, from: string, to: string): Promise<void> {
  if (!existsSync(site)) return
  const text = readFileSync(site, 'utf8')
  const moved = text.replaceAll(`"${from}/`, `"${to}/`)
  if (moved === text) return
  const file = await open(site, 'w')
  try {
    await file.writeFile(moved)
    await file.sync()
  } finally {
    await file.close()
  }
}
