import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cityMigrations } from '../city/database/index.ts'
import { Lock } from '../core/lock.ts'
import { databaseVersion, type KeptCopy, keptCopies, restoreCopy } from '../core/store/index.ts'
import { socialMigrations } from '../social/network/index.ts'
import { supervisorMigrations } from './migrations.ts'

/** The newest version of each kind of database that a gc knows. */
export interface DatabaseVersions {
  readonly supervisor: number
  readonly city: number
  readonly network: number
}

/** Versions that this gc supports. */
export const ownVersions: DatabaseVersions = {
  supervisor: supervisorMigrations.length,
  city: cityMigrations.length,
  network: socialMigrations.length,
}

/** A database of this machine. */
export interface StoredDatabase {
  readonly kind: keyof DatabaseVersions
  readonly path: string
  readonly version: number
}

/** A database that is replaced by a copy of it, since a gc knows no newer one. */
export interface Step {
  readonly database: StoredDatabase
  readonly copy: KeptCopy
}

/** Every database of a home: the registry, the network, and the cities that are registered. */
export function databasesIn(home: string): StoredDatabase[] {
  const registry = join(home, 'supervisor.db')
  const all = [
    { kind: 'supervisor' as const, path: registry },
    { kind: 'network' as const, path: join(home, 'social.db') },
    ...cityFolders(registry).map((folder) => ({ kind: 'city' as const, path: join(folder, '.gc', 'city.db') })),
  ]
  return all.filter(({ path }) => existsSync(path)).map((each) => ({ ...each, version: databaseVersion(each.path) }))
}

/** The folders of the cities of a registry; none where it is not there. */
export function cityFolders(registry: string): string[] {
  if (!existsSync(registry)) return []
  using db = new Database(registry, { readwrite: true })
  const query = db.query<{ path: string }, []>('SELECT path FROM cities ORDER BY path')
  return query.all().map(({ path }) => path)
}

/** Databases that a gc with these versions cannot open, each with its newest usable copy; undefined without one. */
export function stepsBack(
  databases: readonly StoredDatabase[],
  known: DatabaseVersions,
): { database: StoredDatabase; copy: KeptCopy | undefined }[] {
  return databases
    .filter(({ kind, version }) => version > known[kind])
    .map((database) => ({
      database,
      copy: keptCopies(database.path).findLast(({ version }) => version <= known[database.kind]),
    }))
}

/** Puts copies in the places of databases, while no supervisor can open them. */
export function goBack(home: string, steps: readonly Step[]): void {
  const lock = Lock.acquire(join(home, 'supervisor.lock'), 'gc upgrade')
  try {
    for (const { database, copy } of steps) restoreCopy(database.path, copy)
  } finally {
    lock.release()
  }
}
