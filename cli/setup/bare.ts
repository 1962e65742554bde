import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import { enclosingCity } from '../context/city-folder.ts'
import type { Io } from '../io/io.ts'
import { hasPerson } from './talk.ts'

/** True if `gc` alone sets up a first city: on a terminal of this machine, where there is none yet. */
export async function isFirstRun(io: Io): Promise<boolean> {
  if (!hasPerson(io) || io.env.GC_URL || io.env.GC_CITY || enclosingCity(io.cwd) !== undefined) return false
  const registry = join(resolveHome(io.env), 'supervisor.db')
  if (!existsSync(registry)) return true
  const { cityFolders } = await import('../../src/supervisor/databases.ts')
  return cityFolders(registry).length === 0
}
