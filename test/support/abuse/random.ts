/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** So many items, each once. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items]
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat()
  }
}
