import type { City } from '../city/city.ts'
import type { Clock } from '../core/clock.ts'
import type { EventLog } from '../core/events/log.ts'
import type { Requests } from '../core/requests/requests.ts'
import type { Store, Tx } from '../core/store.ts'
import type { Phase } from './city-entry.ts'

/** What the registry of cities needs of the supervisor. */
export interface CitiesDependencies {
  store: Store
  log: EventLog
  requests: Requests
  clock: Clock
  /** Opens the city in a folder; throws with the reason when it cannot. */
  open(city: { name: string; path: string; phase: (now: Phase) => void }): Promise<City>
  /** Writes a new city into a folder; returns its name. */
  scaffold(path: string, options: { provider?: string; startCommand?: string }): Promise<string>
  /** The name that the city's own files give it. */
  nameOf(path: string): Promise<string>
  /** Ends the sessions of a city that could not be opened. */
  endSessions(name: string): Promise<void>
  /** Called when a city was opened or closed. */
  onChange(): void
  onOpened(name: string): void
  /** Called in the write that removes a city from the registry. */
  onUnregister(tx: Tx, name: string): void
  report(message: string): void
}
