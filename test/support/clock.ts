import type { Clock } from '../../src/core/clock.ts'
import type { Timer } from '../../src/core/deadlines.ts'

interface Bell {
  due: number
  ring: () => void
}

/** A turn of the real loop, so that promises and immediates that a bell set off run before time continues. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Time moved by hand. It is both the clock and the alarm of `Deadlines`:
 * `const clock = new TestClock(); const deadlines = new Deadlines(clock, clock); await clock.advance(1000)`.
 */
export class TestClock implements Clock, Timer {
  #wall: number
  #monotonic = 0
  #bells = new Set<Bell>()

  constructor(start: string | number = '2026-01-05T09:00:00.000Z') {
    this.#wall = new Date(start).getTime()
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  set(ms: number, ring: () => void): () => void {
    const bell = { due: this.#monotonic + ms, ring }
    this.#bells.add(bell)
    return () => this.#bells.delete(bell)
  }

  /** Number of alarms that are set; `Deadlines` never has more than one. */
  get armed(): number {
    return this.#bells.size
  }

  /** Time until the nearest alarm; undefined without one. */
  get nearest(): number | undefined {
    const dues = [...this.#bells].map((bell) => bell.due - this.#monotonic)
    return dues.length > 0 ? Math.min(...dues) : undefined
  }

  /** Lets `ms` pass: rings what comes due on the way, in order, and lets the loop turn after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms
    for (;;) {
      await turn()
      const next = [...this.#bells].sort((a, b) => a.due - b.due)[0]
      if (!next || next.due > end) break
      this.#pass(Math.max(0, next.due - this.#monotonic))
      this.#bells.delete(next)
      next.ring()
    }
    this.#pass(end - this.#monotonic)
    await turn()
  }

  /** Moves the wall clock alone, as a set clock or a suspended machine does. No alarm rings. */
  step(ms: number): void {
    this.#wall += ms
  }

  /** Lets `ms` pass in which nothing runs, as for a process that is stopped: what comes due rings late. */
  stop(ms: number): void {
    this.#pass(ms)
  }

  #pass(ms: number): void {
    this.#wall += ms
    this.#monotonic += ms
  }
}
