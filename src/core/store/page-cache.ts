import type { Database } from 'bun:sqlite'
import type { Deadline, Deadlines } from '../deadlines.ts'

/** Idle time after which pages are released, in milliseconds; twice that at most. */
export const IDLE_MS = 15_000

/**
 * Releases the cached pages of a connection once it has been idle: a burst of writes leaves as many as the cache holds. A
 * deadline exists only from the first use until then.
 */
export class PageCache {
  #isUsed = false
  #deadline: Deadline | undefined

  constructor(
    private readonly db: Database,
    private readonly deadlines: Deadlines | undefined,
  ) {}

  /** Records that the connection reads or writes. */
  use(): void {
    this.#isUsed = true
    this.#deadline ??= this.#schedule()
  }

  close(): void {
    this.#deadline?.cancel()
  }

  #schedule(): Deadline | undefined {
    this.#isUsed = false
    return this.deadlines?.interval(IDLE_MS, () => {
      this.#deadline = this.#isUsed ? this.#schedule() : undefined
      if (this.#deadline === undefined) this.db.run('PRAGMA shrink_memory')
    })
  }
}
