import type { Database } from 'bun:sqlite'
import type { Timer } from '../deadlines.ts'
import { releaseProgramPages } from '../program-memory.ts'

/** Idle time after which pages are released, in milliseconds; twice that at most. */
export const IDLE_MS = 15_000

/**
 * The timer of the system, which keeps no process alive. It is none of the process's deadlines: their alarms notice that
 * the clock was set, which must not depend on when a database was used.
 */
const unreferencedTimer: Timer = {
  set(ms, ring) {
    const timer = setTimeout(ring, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The connections of a process that are in use; once none is, a burst is over, and what it left is released. */
export class UsedConnections {
  #count = 0

  constructor(private readonly release: () => void) {}

  enter(): void {
    this.#count++
  }

  leave(): void {
    if (--this.#count === 0) this.release()
  }
}

const ofThisProcess = new UsedConnections(releaseProgramPages)

/**
 * Releases the cached pages of a connection once it has been idle: a burst of writes leaves as many as the cache holds. A
 * timer is set only from the first use until then.
 */
export class PageCache {
  #isUsed = false
  #cancel: (() => void) | undefined

  constructor(
    private readonly db: Database,
    private readonly timer: Timer = unreferencedTimer,
    private readonly connections = ofThisProcess,
  ) {}

  /** Records that the connection reads or writes. */
  use(): void {
    this.#isUsed = true
    if (this.#cancel) return
    this.connections.enter()
    this.#cancel = this.#schedule()
  }

  close(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = undefined
    this.connections.leave()
  }

  #schedule(): () => void {
    this.#isUsed = false
    return this.timer.set(IDLE_MS, () => {
      this.#cancel = this.#isUsed ? this.#schedule() : undefined
      if (this.#cancel) return
      this.db.run('PRAGMA shrink_memory')
      this.connections.leave()
    })
  }
}
