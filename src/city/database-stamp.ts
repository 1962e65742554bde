import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Fingerprint of the database of a closed city; undefined without one, and while its log holds writes. */
export function databaseStamp(city: string): string | undefined {
  const path = join(city, '.gc', 'city.db')
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (!stats || (log && log.size > 0)) return undefined
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
}
