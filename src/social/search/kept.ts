/** Values that are kept as long as nothing changes in the network: at most so many, of which the oldest goes first. */
export class Kept<Key, Value> {
  readonly #values = new Map<Key, Value>()
  #at = -1

  constructor(
    /** The number of the last change in the network. */
    private readonly head: () => number,
    private readonly max: number,
  ) {}

  async find(key: Key, make: () => Promise<Value>): Promise<Value> {
    const head = this.#forgetOld()
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = await make()
    if (head === this.#at) this.#keep(key, value)
    return value
  }

  /** The values of some keys; `read` makes those that are not known. */
  findAll(keys: readonly Key[], read: (missing: Key[]) => ReadonlyMap<Key, Value>): Map<Key, Value> {
    this.#forgetOld()
    const found = new Map<Key, Value>()
    const missing: Key[] = []
    for (const key of keys) {
      const known = this.#values.get(key)
      if (known === undefined) missing.push(key)
      else found.set(key, known)
    }
    if (missing.length === 0) return found
    for (const [key, value] of read(missing)) {
      found.set(key, value)
      this.#keep(key, value)
    }
    return found
  }

  #forgetOld(): number {
    const head = this.head()
    if (head !== this.#at) this.#values.clear()
    this.#at = head
    return head
  }

  #keep(key: Key, value: Value): void {
    const oldest = this.#values.size >= this.max ? this.#values.keys().next() : undefined
    if (oldest && !oldest.done) this.#values.delete(oldest.value)
    this.#values.set(key, value)
  }
}
