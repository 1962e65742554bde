import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { Store } from '../../core/store/index.ts'
import type { Settings } from './settings.ts'

/** Every service of a network needs some of these; they are made once, when it opens. */
export interface NetworkContext {
  readonly store: Store
  readonly log: EventLog
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly settings: Settings
  /** A number that differs once something in the network has changed. */
  changes(): number
  /** Start of the links that the network gives out. */
  baseUrl(): string
  /** Reports an error that happened outside any request. */
  report(error: unknown): void
}
