import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { Activity } from '../protocol/session.ts'
import type { Connection } from './connection.ts'
import type { HostSession } from './session-registry.ts'

/** The shortest time between two notices of new output. */
const EVERY_MS = 100

/** Notifies supervisors of the sessions with new output, many in one frame. */
export class ActivityNotifier {
  readonly #touched = new Set<HostSession>()
  #armed = false

  constructor(
    private readonly deadlines: Deadlines,
    private readonly clock: Clock,
    private readonly listeners: () => Connection[],
  ) {}

  touch(session: HostSession): void {
    this.#touched.add(session)
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => this.#notify())
  }

  #notify(): void {
    if (this.#touched.size === 0) {
      this.#armed = false
      return
    }
    const sessions = [...this.#touched].map((session) => this.#activityOf(session))
    const sent = this.listeners().map((connection) => connection.activity(sessions))
    if (!sent.includes(false)) this.#touched.clear()
    this.deadlines.after(EVERY_MS, () => this.#notify())
  }

  #activityOf({ view }: HostSession): Activity {
    const { key, bytes, title } = view
    return { key, bytes, at: view.lastOutputAt ?? toTimestamp(this.clock.now()), ...(title !== undefined && { title }) }
  }
}
