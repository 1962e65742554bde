import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { HostedCommand } from '../../agents/commands/hosted-commands.ts'
import { type ConfinementRules, privateFolder } from '../../agents/confinement/confinement.ts'
import type { CityConfig } from '../../config/city-config.ts'
import { contains } from '../../config/confinement/obstacle.ts'
import { readableEntries } from '../../config/confinement/readable.ts'
import { realPath } from '../../core/folders.ts'
import type { CheckPlaces, RunFolders } from './command.ts'

/** A check that is to be confined. */
interface ConfinedCheck {
  readonly rules: ConfinementRules
  /** Names its private folder, which the next attempt does not have: what one leaves there is nothing to the next. */
  readonly id: string
  readonly script: string
  readonly places: CheckPlaces
  readonly folders: RunFolders
  readonly config: Pick<CityConfig, 'rigs'>
}

/**
 * Confines a check: besides what who worked there may do, it reads its script, what the city and its packs have beside it
 * and the folder of its run, and writes its artifacts.
 */
export function confineCheck(command: HostedCommand, check: ConfinedCheck): HostedCommand {
  const { rules, id, script, places, folders, config } = check
  const kept = privateFolder(places.city, id)
  const own = [...shippedIn(places, config), folders.molecule]
  return {
    ...command,
    env: { ...command.env, HOME: join(kept, 'state') },
    confine: {
      ...{ ...rules, private: kept },
      read: [...rules.read, ...declaredScript(script, places), ...own.map(realPath)],
      write: [...rules.write, realPath(folders.artifacts)],
    },
  }
}

const shippedIn = ({ city, store, packs }: CheckPlaces, { rigs }: Pick<CityConfig, 'rigs'>): string[] => [
  join(city, '.gc/scripts'),
  ...[city, ...packs].flatMap((configDir) =>
    readableEntries({ dir: store, configDir, linked: [] }, { rigs, path: city, packs: [] }),
  ),
]

/** A script that lies where a session works is read as all else there is. */
const declaredScript = (script: string, { city, store, packs }: CheckPlaces): string[] =>
  [city, store, ...packs].some((folder) => contains(realpathSync(folder), script)) ? [script] : []
