import type { City } from '../city/city.ts'
import { AppError } from '../core/errors.ts'
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
  phase: Phase | undefined
  done: Phase[]
  error: string | undefined
  /** Whether a person stopped it, and whether its sessions are still being ended. */
  stopped: 'stopping' | 'stopped' | undefined
  /** Resolves when a city that was stopped is closed. */
  closed: Promise<void>
}

/** What is known of a city before it is opened. */
export const newEntry = (name: string, path: string): CityEntry => ({
  name,
  path,
  city: undefined,
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

/** How a city is listed. */
export function toInfo({ name, path, city, phase, done, error, stopped }: CityEntry): CityInfo {
  if (city) {
    const { problem } = city.storeHealth
    return { name, path, running: true, ...(problem !== undefined && { error: problem }) }
  }
  if (stopped !== undefined) return { name, path, running: false, status: stopped }
  if (error !== undefined) return { name, path, running: false, status: 'init_failed', error, phases_completed: done }
  return { name, path, running: false, status: phase ?? PHASES[0], phases_completed: done }
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
      throw new AppError('conflict-wrong-state', `conflict: a city named ${name} is registered at ${entry.path}`)
    }
  }
}
