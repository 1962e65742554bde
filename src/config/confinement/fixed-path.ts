import { join, parse, resolve, sep } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { linkTarget } from '../../core/files.ts'
import { contains, realPath } from '../../core/folders.ts'
import type { CityConfig } from '../city/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import { agentFolders, worktreeFolders } from './readable.ts'

/** As many links as Linux follows in one path. */
const MAX_LINKS = 40

interface City extends Pick<CityConfig, 'path'> {
  readonly rigs: readonly Pick<RigConfig, 'path'>[]
}

/** The folders in which sessions of a city may work, and what they do there stays. */
export const writtenByAgents = ({ path, rigs }: City): string[] => [
  ...rigs.flatMap((rig) => rig.path ?? []),
  ...[agentFolders(path), worktreeFolders(path)],
]

/**
 * Target of a path as far as no agent controls it; throws at a link in a folder that agents write. What is not there
 * yet is not a link.
 */
export function fixedPath(path: string, written: readonly string[]): string {
  const found = follow(path, written.map(realPath), MAX_LINKS)
  if (typeof found === 'string') return found
  const why = `${found.link} is a link, which agents can change`
  throw new AppError('conflict-wrong-state', `${why}; put what it leads to there`)
}

/** The same; undefined where a link is on the way. */
export function findFixed(path: string, written: readonly string[]): string | undefined {
  const found = follow(path, written.map(realPath), MAX_LINKS)
  return typeof found === 'string' ? found : undefined
}

function follow(path: string, written: readonly string[], left: number): string | { link: string } {
  const whole = resolve(path)
  const { root } = parse(whole)
  let at = root
  for (const part of whole.slice(root.length).split(sep).filter(Boolean)) {
    const next = join(at, part)
    const to = linkTarget(next)
    if (to !== undefined && (left === 0 || written.some((folder) => contains(folder, at)))) return { link: next }
    const there = to === undefined ? next : follow(resolve(at, to), written, left - 1)
    if (typeof there !== 'string') return there
    at = there
  }
  return at
}
