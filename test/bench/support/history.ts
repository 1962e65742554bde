import { Database } from 'bun:sqlite'
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { Store } from '../../../src/core/store/store.ts'
import { type Filling, fill, RECIPE } from './fill.ts'

/** Histories are cached between runs, as long as the tables are the same: writing one takes longer than most benches. */
const CACHE = join(tmpdir(), 'gc-bench')

/** The size that targets are stated at; all open beads are ready. */
export const STATED = { beads: 100_000, open: 5_000, edges: 20_000, events: 1_000_000 }

/** The same live work among ten times the closed beads. */
export const tenfold = (size: Omit<Filling, 'prefix'>) => ({
  ...size,
  beads: (size.beads - size.open) * 10 + size.open,
})

/** Identity of a database's tables and of the statements that fill them. */
function fingerprint(path: string): string {
  using db = new Database(path, { readonly: true })
  const tables = db.query<{ sql: string }, []>("SELECT coalesce(sql, '') AS sql FROM sqlite_master ORDER BY name").all()
  return Bun.hash([...tables.map(({ sql }) => sql), RECIPE].join('\n')).toString(36)
}

/**
 * Gives a city a long life: it was up once and is down, and has had no agents yet. Its tables are those of the build
 * that ran it; a database that is not there gets the tables of the sources.
 */
export async function live(path: string, filling: Filling): Promise<void> {
  if (!existsSync(path)) await Store.open(path, cityMigrations).close()
  const tables = fingerprint(path)
  const cached = join(CACHE, `${tables}-${Bun.hash(JSON.stringify(filling)).toString(36)}.db`)
  if (existsSync(cached)) {
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
    copyFileSync(cached, path, constants.COPYFILE_FICLONE)
    return
  }
  fill(path, filling)
  mkdirSync(CACHE, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(CACHE)) if (!name.startsWith(tables)) rmSync(join(CACHE, name), { force: true })
  const part = `${cached}.${process.pid}`
  copyFileSync(path, part, constants.COPYFILE_FICLONE)
  renameSync(part, cached)
}
