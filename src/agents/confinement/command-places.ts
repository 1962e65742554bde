import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Access, confinementRisk } from '../../config/confinement/index.ts'
import { AppError } from '../../core/errors.ts'
import { realPath } from '../../core/folders.ts'
import { isForAgents } from './work-place.ts'

/** A command that a person confines, by the folder that it runs in and what else it may read and change. */
export interface CommandPlaces {
  readonly cwd: string
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Certificates that its environment names: left out where they must not be read. */
  readonly certificates: readonly string[]
}

interface Around {
  /** Every `$GC_HOME` that may have keys here. */
  readonly gcHomes: readonly string[]
  /** The folders of their cities. */
  readonly cities: readonly string[]
}

/**
 * The places of a command where they are, without links on the way, and what is withheld from it; throws where agents could not
 * be confined either: the folder is judged as the `work_dir` of an agent is, and the others as `read` and `write` of its table.
 */
export function commandPlaces(
  { cwd, read, write, certificates }: CommandPlaces,
  around: Around,
): { read: string[]; write: string[]; withheld: string[] } {
  const folder = realPath(cwd)
  const known = { ...around, cities: [...new Set([...around.cities, ...[folder, ...read, ...write].flatMap(cityAt)])] }
  const isAgents = known.cities.some((city) => isForAgents(folder, realPath(city)))
  const reason = isAgents ? undefined : reasonAgainst(folder, 'write', known)
  if (reason !== undefined) throw refused(`nothing is confined in ${folder}`, reason, CD)
  const judged = (paths: readonly string[], access: Access) =>
    paths.map((path) => {
      const place = realPath(path)
      const wrong = [path, place].map((each) => reasonAgainst(each, access, known)).find((each) => each !== undefined)
      if (wrong !== undefined) throw refused(`--${access} ${path} would void the confinement`, wrong, NAME)
      return place
    })
  const trusted = certificates.map(realPath).filter((path) => reasonAgainst(path, 'read', known) === undefined)
  return {
    read: [...judged(read, 'read'), ...trusted],
    write: [folder, ...judged(write, 'write')],
    withheld: [...known.gcHomes, ...known.cities],
  }
}

/** The same within a confined session, whose own rules hold for all that is in it. */
export const placesWithin = ({
  cwd,
  read,
  write,
  certificates,
}: CommandPlaces): { read: string[]; write: string[] } => ({
  read: [...read, ...certificates].map(realPath),
  write: [cwd, ...write].map(realPath),
})

const CD = 'cd to a folder that has nothing but what the command may change, such as a project'
const NAME = 'name a file or folder that has none of it'

const refused = (what: string, reason: string, way: string): AppError =>
  new AppError('conflict-wrong-state', `${what}: ${reason}; ${way}`)

function reasonAgainst(place: string, access: Access, { gcHomes, cities }: Around): string | undefined {
  const homes = [homedir(), ...listedHome()]
  const reasons = homes.flatMap((home) =>
    gcHomes.flatMap((gcHome) => confinementRisk(place, access, { home, gcHome, cities, rigs: [] }) ?? []),
  )
  return reasons[0]
}

/** The home that the system lists for this user, whatever `HOME` is. */
function listedHome(): string[] {
  const uid = String(process.getuid?.())
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    const [, , , , , home = ''] = lines.map((line) => line.split(':')).find((fields) => fields[2] === uid) ?? []
    return home.length > 1 ? [home] : []
  } catch {
    return []
  }
}

/** The city that a folder is or lies in, whether or not one of these homes knows it. */
function cityAt(path: string): string[] {
  const at = realPath(path)
  if (existsSync(join(at, 'city.toml')) || existsSync(join(at, '.gc', 'city.db'))) return [at]
  return dirname(at) === at ? [] : cityAt(dirname(at))
}
