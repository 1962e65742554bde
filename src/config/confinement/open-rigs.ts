import { resolve } from 'node:path'
import { contains, realPath, touch } from '../../core/folders.ts'
import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import { placeOf } from './obstacle.ts'

type Rig = Pick<RigConfig, 'name' | 'path' | 'confine'>
type Agents = readonly Pick<AgentConfig, 'confine' | 'dir' | 'workDir' | 'worktree'>[]
/** A city, as far as it says who may change the repository of a rig. */
export interface RigWriters extends Pick<CityConfig, 'path'> {
  readonly rigs: readonly Rig[]
  readonly agents: Agents
}

/**
 * True if confined sessions can change the settings of a rig's repository, and so what it says of itself: whom it
 * borrows objects from, which hosts it is fetched from.
 */
export function isOpenToAgents(rig: Rig, { path: city, rigs, agents }: RigWriters): boolean {
  if (rig.path === undefined) return false
  const folder = realPath(rig.path)
  const around = rigs.filter(({ path }) => path !== undefined && contains(realPath(path), folder))
  const names = new Set([rig.name, ...around.map(({ name }) => name)])
  return agents.some(({ confine, dir, workDir, worktree }) => {
    if (confine === 'off') return false
    if (dir !== undefined && names.has(dir) && (!worktree || workDir !== undefined)) return true
    return workDir !== undefined && touch(folder, realPath(resolve(city, fixedPart(workDir))))
  })
}

/** Fixed beginning of an agent's folder, before the first template. */
const fixedPart = (workDir: string): string => {
  const at = workDir.indexOf('{{')
  return at < 0 ? workDir : workDir.slice(0, workDir.lastIndexOf('/', at) + 1)
}

/** Says which folders of objects are lent to a rig: all that its repository names, where only a person can have named them. */
export function lendersTo(rig: Rig | undefined, city: RigWriters, home: string): (objects: string) => boolean {
  if (rig === undefined || !isOpenToAgents(rig, city)) return () => true
  const { read, write } = rig.confine?.values ?? {}
  const origins = [rig.confine?.origins.read, rig.confine?.origins.write]
  const [reads, writes] = [read, write].map((list, at) => (origins[at]?.block.pack ? [] : (list ?? [])))
  const around = { home, city: city.path, rigs: city.rigs, rig: rig.name }
  const named = [...(reads ?? []), ...(writes ?? [])].flatMap((path) => placeOf(path, around) ?? [])
  return (objects) => named.some((place) => contains(realPath(place), objects))
}
