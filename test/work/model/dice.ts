/** Numbers that look random and are the same for the same seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A number from 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** Whether something happens that happens once in `n` times. */
  once(n: number): boolean {
    return this.next() * n < 1
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.next() * from.length)]
    if (picked === undefined) throw new Error('there is nothing to pick from')
    return picked
  }

  /** Up to `most` of them, each once. */
  some<T>(from: readonly T[], most: number): T[] {
    const length = Math.floor(this.next() * (most + 1))
    return [...new Set(Array.from({ length }, () => this.pick(from)))]
  }
}
