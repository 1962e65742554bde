import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'

const DAY = 24 * 3_600_000
/** How long an ended token can be told from an unknown one, and what was said to sessions is kept. */
const KEPT = 30 * DAY
const SLICE = 1000

/** Drops what sessions leave behind once it is old, a slice at a time. */
export class SessionRetention {
  readonly #drops: Statement<unknown, [number]>[]
  #next: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (message: string) => void,
  ) {
    this.#drops = [
      store.prepare(
        `DELETE FROM session_tokens WHERE hash IN
           (SELECT hash FROM session_tokens WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ${SLICE})`,
      ),
      store.prepare(
        `DELETE FROM session_messages WHERE id IN
           (SELECT id FROM session_messages WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ${SLICE})`,
      ),
    ]
  }

  /** Tidies now and every day. */
  async start(): Promise<void> {
    this.#next = this.deadlines.after(DAY, () => this.start().catch((error) => this.report(errorMessage(error))))
    const before = this.clock.now() - KEPT
    for (const drop of this.#drops) {
      let dropped = SLICE
      while (dropped === SLICE) dropped = await this.store.write(() => drop.run(before).changes)
    }
  }

  stop(): void {
    this.#next?.cancel()
  }
}
