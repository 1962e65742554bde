import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { City } from '../city/city.ts'
import { holderOf } from '../city/dependencies.ts'
import { AppError } from '../core/errors.ts'
import { realPath } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import type { RestingCity } from './resting-city.ts'
import type { CityInfo } from './schema.ts'

/** The steps of a city's start, in order. */
export const PHASES = [
  'loading_config',
  'starting_bead_store',
  'resolving_formulas',
  'adopting_sessions',
  'starting_agents',
] as const
export type Phase = (typeof PHASES)[number]

/** A registered city. */
export interface CityEntry {
  name: string
  path: string
  city: City | undefined
  /** Takes the place of the city until something needs it, and while it is then opened. */
  resting: RestingCity | undefined
  /** Resolves when a city that rested is open, or could not be opened. */
  woken: Promise<void> | undefined
  phase: Phase | undefined
  done: Phase[]
  error: string | undefined
  /** True if a person stopped it, and whether its sessions are still being ended. */
  stopped: 'stopping' | 'stopped' | undefined
  /** Resolves when a city that was stopped is closed. */
  closed: Promise<void>
}

/** Entry of a city before it is opened. */
export const newEntry = (name: string, path: string): CityEntry => ({
  name,
  path,
  city: undefined,
  resting: undefined,
  woken: undefined,
  phase: undefined,
  done: [],
  error: undefined,
  stopped: undefined,
  closed: Promise.resolve(),
})

/** Sets whether a city is stopped; one that is has that as the reason why it does not run. */
export function markStopped(entry: CityEntry, stopped: CityEntry['stopped']): void {
  entry.stopped = stopped
  if (stopped) entry.error = `it is ${stopped}; \`gc start ${entry.name}\` starts it`
}

/** A registered city that does not run: it is being loaded, or could not be. */
export interface ClosedCity {
  readonly name: string
  readonly error: string | undefined
}

/** City as listed. */
export function toInfo(entry: CityEntry): CityInfo {
  const { name, path, city, resting, phase, done, error, stopped } = entry
  const gone = goneFolder(entry)
  if (city || resting) {
    const problem = city?.storeHealth.problem ?? gone
    return { name, path, running: true, ...(problem !== undefined && { error: problem }) }
  }
  if (stopped !== undefined) return { name, path, running: false, status: stopped, ...(gone && { error: gone }) }
  if (error !== undefined) return { name, path, running: false, status: 'init_failed', error, phases_completed: done }
  return { name, path, running: false, status: phase ?? PHASES[0], phases_completed: done }
}

/** The error of a city whose folder is gone. */
export function goneFolder({ name, path }: Pick<CityEntry, 'name' | 'path'>): string | undefined {
  if (isFolder(path)) return undefined
  const what = lstatSync(path, { throwIfNoEntry: false }) ? 'is no longer a folder' : 'is gone'
  return `${path} ${what}; put it back, or \`gc unregister ${name}\` removes the city from the list`
}

/** Unreadable entries count as folders. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return true
  }
}

/** Throws when a folder is that of a registered city under another path: through a link, or as it was moved while it runs. */
export function checkNotMoved(entries: Iterable<CityEntry>, path: string, home: string): void {
  const holder = isFolder(join(path, '.gc')) ? Lock.holder(join(path, '.gc', 'lock')) : ''
  for (const entry of entries) {
    if (entry.path === path) continue
    const what = `conflict: ${path} is the folder of city ${entry.name}`
    if (isFolder(path) && realPath(entry.path) === realPath(path))
      throw new AppError('conflict-wrong-state', `${what}, which is registered at ${entry.path}`)
    const isHeld = holder === `${holderOf(entry.name, home)} (pid ${process.pid})`
    if (entry.city === undefined || !isHeld || isFolder(entry.path)) continue
    const then = `\`gc unregister ${entry.name}\` ends it there, then \`gc register ${path}\` starts it here`
    throw new AppError('conflict-wrong-state', `${what}, which runs and was moved from ${entry.path}; ${then}`)
  }
}

/** The error of a request about a city that is unknown or does not run; `Retry-After` while it is starting. */
export function cityNotFound(name: string, entry?: CityEntry): AppError {
  const isStarting = entry !== undefined && entry.error === undefined
  const state = isStarting ? 'starting' : entry?.error
  return new AppError(
    'city-not-found',
    `not_found: city not found or not running: ${name}${state === undefined ? '' : ` (${state})`}`,
    isStarting ? { headers: { 'retry-after': '1' } } : {},
  )
}

/** Throws when a registered city has this folder or this name. */
export function checkNotTaken(entries: Iterable<CityEntry>, name: string, path: string): void {
  for (const entry of entries) {
    if (entry.path === path) {
      throw new AppError('conflict-wrong-state', `conflict: city already initialized at ${path}`)
    }
    if (entry.name.toLowerCase() === name.toLowerCase()) {
      const taken = `conflict: a city named ${name} is registered at ${entry.path}`
      const gone = isFolder(entry.path) ? '' : `, which is gone; \`gc unregister ${entry.name}\` frees the name`
      throw new AppError('conflict-wrong-state', `${taken}${gone}`)
    }
  }
}
