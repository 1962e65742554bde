import { lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative, sep } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import {
  agentFolders,
  confinementRisk,
  fixedPath,
  lendersTo,
  projectConfinementRisk,
  type RigWriters,
  worktreeFolders,
  writtenByAgents,
} from '../../config/confinement/index.ts'
import { repositoryFolders } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { contains, requireNoLinks } from '../../core/folders.ts'
import { linkedRepository } from './rig-repository.ts'

/** A session by the folder that it works in. */
export interface Placed {
  readonly workDir: string
  readonly rig: string
}

/** Location of gc's own files. */
export interface OwnPlaces {
  /** The city's folder. */
  readonly path: string
  /** `$GC_HOME`. */
  readonly home: string
  /** The folders of the other cities of `$GC_HOME`. */
  otherCities?(): readonly string[]
}

type Working = Pick<AgentConfig, 'workDir' | 'confine'>

const OFF = 'or set confine = "off"'

/** True if a folder is one of those that a city has for its agents to work in. */
export const isOwnFolder = (city: string, folder: string): boolean =>
  contains(agentFolders(city), folder) && folder !== agentFolders(city)

/** Readable and writable places of a session's folder, without links; throws if they include protected files. */
export function workPlace(
  session: Placed,
  agent: Working,
  config: RigWriters,
  place: OwnPlaces,
): { read: readonly string[]; write: readonly string[] } {
  const { workDir } = session
  const written = writtenByAgents(config)
  const declared = config.rigs.find(({ name }) => name === session.rig)
  const rig = declared?.path === undefined ? undefined : fixedPath(declared.path, written)
  const folder = fixedPath(workDir, written)
  if (agent.workDir === undefined && rig !== undefined && contains(worktreeFolders(place.path), workDir)) {
    requireClone(workDir)
    return { read: repositoryFolders(rig, lendersTo(declared, config, homedir())), write: [folder] }
  }
  requireApart(workDir, folder, agent, place)
  if (agent.workDir === undefined || rig === undefined) return { read: [], write: [folder] }
  return { read: [rig], write: [folder, ...linkedRepository(folder, rig)] }
}

/** A clone borrows from its rig. What it says itself of whom it borrows from is the session's own word. */
function requireClone(workDir: string): void {
  if (lstatSync(join(workDir, '.git'), { throwIfNoEntry: false })?.isDirectory()) return
  const why = `its folder ${workDir} is not a clone but a linked worktree, which can change the history of its rig`
  throw new AppError('service-unavailable', `it cannot be confined: ${why}; close the session, ${OFF}`)
}

function requireApart(workDir: string, folder: string, agent: Working, place: OwnPlaces): void {
  if (isForAgents(workDir, place.path)) {
    requireNoLinks(place.path, workDir)
    return
  }
  const [reason] = [workDir, folder].flatMap((each) => voidedBy(each, agent, place) ?? [])
  if (reason === undefined) return
  const why = `its folder ${workDir} would void that: ${reason}`
  throw new AppError('service-unavailable', `it cannot be confined: ${why}; give it another work_dir, ${OFF}`)
}

/** Below `.gc/worktrees` the folders of rigs have the clones of all their sessions; what is deeper can be an agent's own. */
export function isForAgents(folder: string, city: string): boolean {
  if (isOwnFolder(city, folder)) return true
  const worktrees = worktreeFolders(city)
  return contains(worktrees, folder) && relative(worktrees, folder).split(sep).length > 1
}

/** A folder that was declared is judged like every place that is asked for; that of a rig is where people keep their project. */
function voidedBy(folder: string, agent: Working, { path, home, otherCities }: OwnPlaces): string | undefined {
  const around = { home: homedir(), gcHome: home, city: path, cities: otherCities?.(), rigs: [] }
  return agent.workDir === undefined ? projectConfinementRisk(folder, around) : confinementRisk(folder, 'write', around)
}
