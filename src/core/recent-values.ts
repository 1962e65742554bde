/** Values in use, within a bound: when as much as that was set, those that no one got while it was are dropped. */
export class RecentValues<Key, Value> {
  #current = new Map<Key, Value>()
  #previous = new Map<Key, Value>()
  #size = 0

  constructor(
    /** Maximum size of the values of one generation; there are two. */
    private readonly maxSize: number,
    private readonly sizeOf: (value: Value) => number,
  ) {}

  get(key: Key): Value | undefined {
    const current = this.#current.get(key)
    if (current !== undefined) return current
    const previous = this.#previous.get(key)
    if (previous !== undefined) this.set(key, previous)
    return previous
  }

  delete(key: Key): void {
    const value = this.#current.get(key)
    if (value !== undefined) this.#size -= this.sizeOf(value)
    this.#current.delete(key)
    this.#previous.delete(key)
  }

  set(key: Key, value: Value): void {
    const replaced = this.#current.get(key)
    this.#size += this.sizeOf(value) - (replaced === undefined ? 0 : this.sizeOf(replaced))
    this.#current.set(key, value)
    if (this.#size < this.maxSize) return
    this.#previous = this.#current
    this.#current = new Map()
    this.#size = 0
  }
}
