import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { AppError } from '../../core/errors.ts'
import { Store } from '../../core/store.ts'
import { cityMigrations } from '../database/migrations.ts'
import { BACKUP_DB, MANIFEST, type Manifest } from './backup.ts'

const SITE_FILE = '.gc/site.toml'

/**
 * Turns the backup unpacked at `path` into a city. The programs of its sessions do not run here, so each session counts
 * as lost: its token is void, and its claims are offered again when the city is opened.
 */
export async function adoptBackup(path: string): Promise<Manifest> {
  const manifest = readManifest(path)
  renameSync(join(path, BACKUP_DB), join(path, '.gc/city.db'))
  rmSync(join(path, MANIFEST))
  relocateRigs(join(path, SITE_FILE), manifest.path, path)
  const store = Store.open(join(path, '.gc/city.db'), cityMigrations)
  try {
    await store.write((tx) => {
      tx.orm.run(sql`DELETE FROM session_tokens`)
      tx.orm.run(sql`UPDATE sessions SET host_key = 'elsewhere/' || host_key WHERE host_key IS NOT NULL`)
      const inside = sql`substr(work_dir, 1, ${manifest.path.length + 1}) = ${`${manifest.path}/`} OR work_dir = ${manifest.path}`
      tx.orm.run(
        sql`UPDATE sessions SET work_dir = ${path} || substr(work_dir, ${manifest.path.length + 1}) WHERE ${inside}`,
      )
    })
  } finally {
    await store.close()
  }
  return manifest
}

function readManifest(path: string): Manifest {
  const file = join(path, MANIFEST)
  if (!existsSync(file) || !existsSync(join(path, BACKUP_DB))) {
    throw new AppError('invalid-request', 'this is not a backup of a city: it has no database in it')
  }
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'))
  if (manifest.format === 1) return manifest
  throw new AppError(
    'invalid-request',
    `this backup was made by a newer gc (${manifest.version}); restore it with that version`,
  )
}

/** Rigs inside the city folder move with it; others stay where they are. */
function relocateRigs(site: string, from: string, to: string): void {
  if (!existsSync(site)) return
  const text = readFileSync(site, 'utf8')
  const moved = text.replaceAll(`"${from}/`, `"${to}/`)
  if (moved !== text) writeFileSync(site, moved)
}
