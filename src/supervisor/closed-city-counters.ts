import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cityCounterChecks, repairCityCounters } from '../city/counters/index.ts'
import { cityMigrations } from '../city/database/index.ts'
import { requireNoLinks } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import { openDatabase } from '../core/sqlite.ts'
import { findMiscounts, type Miscount } from '../core/store/index.ts'

const DATABASE = join('.gc', 'city.db')
const LOCK = join('.gc', 'lock')

/**
 * The wrong counters of a city that no supervisor runs, which this corrects if `repairs`. Undefined when there is nothing
 * to check: no database, or one that is corrected when its next supervisor migrates it. Throws when the city is in use.
 */
export function checkClosedCity(folder: string, { repairs }: { repairs: boolean }): Miscount[] | undefined {
  for (const file of [DATABASE, LOCK, `${LOCK}.holder`]) requireNoLinks(folder, file)
  const path = join(folder, DATABASE)
  if (!existsSync(path)) return undefined
  const lock = Lock.acquire(join(folder, LOCK), 'gc doctor')
  try {
    const db = openDatabase(path)
    try {
      const { user_version: version } = db.query<{ user_version: number }, []>('PRAGMA user_version').get() ?? {}
      if (version !== cityMigrations.length) return undefined
      if (!repairs) return findMiscounts(db, cityCounterChecks)
      db.run('PRAGMA synchronous = FULL')
      return db.transaction(() => repairCityCounters(db)).immediate()
    } finally {
      db.close(true)
    }
  } finally {
    lock.release()
  }
}
