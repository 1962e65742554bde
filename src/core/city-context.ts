import type { Clock } from './clock.ts'
import type { Deadlines } from './deadlines.ts'
import type { EventLog } from './events/index.ts'
import type { Store } from './store/index.ts'

/** Made once, when a city opens: its services take it first, and then their peers. */
export interface CityContext {
  readonly store: Store
  readonly log: EventLog
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Writes a sentence to the log of the supervisor. */
  report(message: string): void
  /** Writes an error that happened outside any request to the log of the supervisor. */
  reportError(error: unknown): void
}
