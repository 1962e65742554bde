/**
 * Values that are kept while nothing changes in the network, together at most so large. What was not used lately goes
 * first: of two generations, the older one is dropped as a whole, since a map slows down when its first entries are deleted.
 */
export class Kept<Key, Value> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #youngSize = 0
  #at: string | number = -1

  constructor(
    /** A name for the state of the network: another once it has changed. */
    private readonly version: () => string | number,
    private readonly maxSize: number,
    private readonly sizeOf: (value: Value) => number = () => 1,
  ) {}

  /** The value of a key; a promise where `make` has to make it. */
  find(key: Key, make: () => Promise<Value>): Value | Promise<Value> {
    const version = this.#forgetOld()
    return this.#get(key) ?? this.#make(key, version, make)
  }

  async #make(key: Key, version: string | number, make: () => Promise<Value>): Promise<Value> {
    const value = await make()
    if (version === this.#at && version === this.version()) this.#keep(key, value)
    return value
  }

  /** The values of some keys, in the order of these; `read` makes those that are not kept, and undefined is for none. */
  findAll(keys: readonly Key[], read: (missing: Key[]) => Iterable<readonly [Key, Value]>): (Value | undefined)[] {
    this.#forgetOld()
    const values = keys.map((key) => this.#get(key))
    const missing = new Set(keys.filter((_, at) => values[at] === undefined))
    if (missing.size === 0) return values
    const made = new Map(read([...missing]))
    for (const [key, value] of made) this.#keep(key, value)
    return keys.map((key, at) => values[at] ?? made.get(key))
  }

  #get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.#keep(key, old)
    return old
  }

  #forgetOld(): string | number {
    const version = this.version()
    if (version !== this.#at) {
      this.#old = new Map()
      this.#renew()
    }
    this.#at = version
    return version
  }

  #keep(key: Key, value: Value): void {
    this.#young.set(key, value)
    this.#youngSize += this.sizeOf(value)
    if (this.#youngSize <= this.maxSize / 2) return
    this.#old = this.#young
    this.#renew()
  }

  #renew(): void {
    this.#young = new Map()
    this.#youngSize = 0
  }
}
