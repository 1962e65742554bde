import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '../../src/client/client.ts'
import { resolveAccess, resolveHome } from '../../src/client/home.ts'
import type { CityFiles } from '../../src/config/offline/index.ts'
import type { PackCommand } from '../../src/config/packs/index.ts'
import { realPath } from '../context/context.ts'
import { loadOffline } from '../context/offline.ts'
import type { Io } from '../io/io.ts'

export interface CityCommands {
  readonly city: Pick<CityFiles, 'name' | 'path'>
  readonly commands: readonly PackCommand[]
  readonly warnings: readonly string[]
}

/**
 * The commands of the packs of the city in a folder; `reserved` are the names of gc's own. A confined session does not see
 * the files of its city, and asks the supervisor.
 */
export async function loadPackCommands(io: Io, folder: string, reserved: ReadonlySet<string>): Promise<CityCommands> {
  const name = io.env.GC_CITY_NAME
  if (name && isHidden(folder) && realPath(io.env.GC_CITY_PATH ?? '') === realPath(folder)) {
    const listed = await new Client(resolveAccess(io.env)).city(name).call('GET ~/pack-commands')
    const commands = listed.items.filter(({ binding }) => !reserved.has(binding))
    return {
      city: { name, path: folder },
      commands: commands.map(({ help, ...each }) => ({ ...each, help })),
      warnings: [],
    }
  }
  const { readCityFiles, findPackCommands } = await loadOffline()
  const city = readCityFiles(folder, resolveHome(io.env))
  const { scripts, warnings } = findPackCommands(city.packs, reserved)
  return { city, commands: scripts, warnings }
}

/** True if there is a city whose files this process may not open, whatever their modes say. */
function isHidden(folder: string): boolean {
  try {
    closeSync(openSync(join(folder, 'city.toml'), 'r'))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES'
  }
}
