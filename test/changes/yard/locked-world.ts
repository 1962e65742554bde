import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../agents/worktrees/git.ts'
import { landingWorld } from '../landing/world.ts'

const LAND = 'mode = "push"\ncheck = ["./test.sh"]\ngenerated = [{ glob = "lock.json", command = ["./lock"] }]\n'
export const isScratch = (folder: string) => folder.endsWith('.generated')

/** Writes the names of all packages into the lock file, as a package manager does. */
export function lock(folder: string): number {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pkg'))
  writeFileSync(join(folder, 'lock.json'), `${JSON.stringify(names.sort())}\n`)
  writeFileSync(join(folder, 'debris.txt'), 'x\n')
  return 0
}

export const pkg = (name: string): Record<string, string> => ({
  [`${name}.pkg`]: 'x\n',
  'lock.json': `["${name}.pkg"]\n`,
})

/** A rig that generates `lock.json` from its packages. */
export async function lockedWorld(make = lock, land = LAND) {
  const world = await landingWorld({ land, judge: (folder) => (isScratch(folder) ? make(folder) : 0) })
  const tip = world.branch('main', { 'lock.json': '[]\n' })
  git(world.rig, 'push', '-q', 'origin', 'main')
  return Object.assign(world, { tip })
}
