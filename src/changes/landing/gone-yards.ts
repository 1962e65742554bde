import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitRunner } from '../../config/git/index.ts'
import type { Clock } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import { OWNER_FILE, unlandedRefs, Yard, type YardOwner } from '../yard/index.ts'
import { KEEP_MS, REMOVED, removeFolders } from './tidying.ts'

/** The file in a yard that says since when its city is gone, and what has not landed. */
const GONE_FILE = 'gone.json'

interface GoneYardsOptions {
  /** `$GC_HOME`. */
  readonly home: string
  readonly clock: Clock
  readonly git: GitRunner
  /** Whether a city is registered in this folder. */
  isRegistered(folder: string): boolean
  isStopped(): boolean
  report(message: string): void
}

/**
 * Removes the repositories in which the rigs of a city landed, a while after the city was deleted, if everything in them has
 * landed. What has not stays, and `gc doctor` names it.
 */
export async function removeGoneYards(options: GoneYardsOptions): Promise<void> {
  const land = join(options.home, 'land')
  for (const name of existsSync(land) ? readdirSync(land) : []) {
    if (options.isStopped()) return
    const path = join(land, name)
    try {
      if (name.endsWith(REMOVED)) await rm(path, { recursive: true, force: true })
      else if (name.endsWith('.git')) await judge(path, options)
    } catch (error) {
      options.report(`${path} could not be tidied: ${errorMessage(error)}`)
    }
  }
}

async function judge(path: string, { clock, git, isRegistered }: GoneYardsOptions): Promise<void> {
  const owner = readJson(join(path, OWNER_FILE))
  const file = join(path, GONE_FILE)
  if (!isOwner(owner)) return
  const isGone = () => !isRegistered(owner.city) && !existsSync(join(owner.city, '.gc', 'city.db'))
  if (!isGone()) return rm(file, { force: true })
  const unlanded = await unlandedRefs(new Yard(git, path))
  const { since = clock.now() } = Object(readJson(file))
  if (unlanded.length === 0 && clock.now() - since >= KEEP_MS)
    return removeFolders(path.slice(0, -'.git'.length), isGone)
  await writeFile(`${file}.new`, `${JSON.stringify({ since, unlanded })}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const isOwner = (value: unknown): value is YardOwner => {
  const { city, rig } = Object(value)
  return typeof city === 'string' && typeof rig === 'string'
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Commits of a deleted city that have not landed. */
export interface KeptYard extends YardOwner {
  readonly path: string
  readonly unlanded: readonly string[]
}

/** The repositories below a `GC_HOME` that are kept since something in them has not landed. */
export function listKeptYards(home: string): KeptYard[] {
  const land = join(home, 'land')
  const names = existsSync(land) ? readdirSync(land).filter((name) => name.endsWith('.git')) : []
  return names.flatMap((name) => {
    const path = join(land, name)
    const owner = readJson(join(path, OWNER_FILE))
    const { unlanded } = Object(readJson(join(path, GONE_FILE)))
    return isOwner(owner) && Array.isArray(unlanded) && unlanded.length > 0
      ? [{ path, city: owner.city, rig: owner.rig, unlanded: unlanded.map(String) }]
      : []
  })
}
