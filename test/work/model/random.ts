/** Pseudo-random numbers that are the same for the same seed. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** True once in `n` calls on average. */
  oneIn(n: number): boolean {
    return this.next() * n < 1
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)]
    if (picked === undefined) throw new Error('there is nothing to pick from')
    return picked
  }

  /** Up to `max` elements, each once. */
  sample<T>(from: readonly T[], max: number): T[] {
    const length = Math.floor(this.next() * (max + 1))
    return [...new Set(Array.from({ length }, () => this.pick(from)))]
  }
}
