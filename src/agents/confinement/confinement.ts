import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { agentProfile } from '../../config/confinement/agent-profile.ts'
import { describeRefused, placesOf } from '../../config/confinement/judge.ts'
import { contains } from '../../config/confinement/obstacle.ts'
import { repositoryFolders } from '../../config/git/repository-folders.ts'
import { AppError } from '../../core/errors.ts'
import type { Confinement } from '../../host/protocol/session.ts'
import type { TokenDemand } from './token-demand.ts'

/** Where gc's own files lie, and how its API is reached. */
export interface ConfinementPlace {
  /** The city's folder. */
  readonly path: string
  /** `$GC_HOME`. */
  readonly home: string
  /** The gc binary. */
  readonly bin: string
  readonly tokenRequirement: TokenDemand
  url(): string
}

type Confined = Pick<AgentConfig, 'confine' | 'dir' | 'workDir'>

const OFF = 'or set confine = "off"'

/** Why an agent cannot be confined as it asks; undefined when it can be, or is not to be. */
export function obstacleToConfinement(
  { confine, dir, workDir }: Confined,
  place: { readonly tokenRequirement: Pick<TokenDemand, 'canBeRequired'> },
): string | undefined {
  if (confine === 'off') return undefined
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    return 'gc confines agents on Linux and macOS only; set confine = "off"'
  }
  if (!place.tokenRequirement.canBeRequired) {
    return `confine means nothing while a program that leaves its token out is taken for you: start gc without --no-require-token, ${OFF}`
  }
  if (dir === undefined && workDir === undefined) {
    return `it works in the city's folder, which has gc's own files: give it a dir or a work_dir, ${OFF}`
  }
  return undefined
}

/**
 * How a session is confined that works in a folder; throws when that folder, or what its profile allows, would let it
 * change what it must not.
 */
export function confinementOf(
  session: { id: string; workDir: string; rig: string },
  agent: AgentConfig,
  config: Pick<CityConfig, 'rigs' | 'providers'>,
  place: ConfinementPlace,
): Confinement | undefined {
  if (agent.confine === 'off') return undefined
  const lenders = lendersOf(session.workDir, config.rigs.find(({ name }) => name === session.rig)?.path, place)
  if (!lenders) requireApart(session.workDir, place)
  const home = homedir()
  const profile = agentProfile(agent, config)
  const around = { home, gcHome: place.home, city: place.path, rigs: config.rigs, rig: agent.dir }
  const { read, write, refused } = placesOf(profile, around, realPath)
  const [first] = refused
  if (first) throw new AppError('service-unavailable', `it cannot be confined: ${describeRefused(first)}`)
  return {
    ...{ home, private: privateFolder(place.path, session.id) },
    read: [dirname(place.bin), place.bin, ...(lenders ?? []), ...read],
    write: [session.workDir, ...write],
    network: agent.confine === 'network' ? 'open' : 'session',
    ports: [Number(new URL(place.url()).port), ...profile.ports.map(({ value }) => value)].filter((port) => port > 0),
    share: Object.fromEntries(Object.entries(profile.share).map(([resource, { value }]) => [resource, value])),
  }
}

/**
 * The folders that the clone of a session borrows history from; undefined when its folder is none that gc made. What the clone
 * itself says of them is the session's own word.
 */
function lendersOf(workDir: string, rig: string | undefined, { path }: ConfinementPlace): string[] | undefined {
  if (!contains(join(path, '.gc', 'worktrees'), workDir) || rig === undefined) return undefined
  if (lstatSync(join(workDir, '.git'), { throwIfNoEntry: false })?.isDirectory()) return repositoryFolders(rig)
  const why = `its folder ${workDir} is no clone but a linked worktree, which can change the history of its rig`
  throw new AppError('service-unavailable', `it cannot be confined: ${why}; close the session, ${OFF}`)
}

function requireApart(workDir: string, place: ConfinementPlace): void {
  for (const own of [place.home, join(place.path, '.gc')]) {
    if (!contains(workDir, own) && !contains(own, workDir)) continue
    const why = `its folder ${workDir} and ${own}, which is gc's own, lie in each other`
    throw new AppError('service-unavailable', `it cannot be confined: ${why}; give it another work_dir, ${OFF}`)
  }
}

/** Where a path leads, as far as it is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** The folder of a session for what is temporary and what its programs keep. */
export const privateFolder = (city: string, session: string): string => join(privateFolders(city), session)

/** Where the private folders of a city's sessions are. */
export const privateFolders = (city: string): string => join(city, '.gc', 'confined')
