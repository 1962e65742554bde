import { RecentValues } from '../../core/recent-values.ts'

/** Values in use that are kept while nothing changes in the network, together at most so large. */
export class Kept<Key, Value> {
  #values: RecentValues<Key, Value>
  #at: string | number = -1

  constructor(
    /** A name for the state of the network: another once it has changed. */
    private readonly version: () => string | number,
    private readonly maxSize: number,
    private readonly sizeOf: (value: Value) => number = () => 1,
  ) {
    this.#values = this.#none()
  }

  /** The value of a key; a promise where `make` has to make it. */
  find(key: Key, make: () => Promise<Value>): Value | Promise<Value> {
    const version = this.#forgetOld()
    return this.#values.get(key) ?? this.#make(key, version, make)
  }

  /** The value of a key, made immediately where it is not kept; undefined is not kept. */
  findNow<Made extends Value | undefined>(key: Key, make: () => Made): Value | Made {
    this.#forgetOld()
    const kept = this.#values.get(key)
    if (kept !== undefined) return kept
    const value = make()
    if (value !== undefined) this.#values.set(key, value)
    return value
  }

  async #make(key: Key, version: string | number, make: () => Promise<Value>): Promise<Value> {
    const value = await make()
    if (version === this.#at && version === this.version()) this.#values.set(key, value)
    return value
  }

  /** The values of some keys, in the order of these; `read` adds those that are not kept, and undefined is for none. */
  findAll(
    keys: readonly Key[],
    read: (missing: Key[], add: (key: Key, value: Value) => void) => void,
  ): (Value | undefined)[] {
    this.#forgetOld()
    const values = keys.map((key) => this.#values.get(key))
    const missing = new Set<Key>()
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]
      if (key !== undefined && values[at] === undefined) missing.add(key)
    }
    if (missing.size === 0) return values
    const made = new Map<Key, Value>()
    read([...missing], (key, value) => {
      made.set(key, value)
      this.#values.set(key, value)
    })
    return keys.map((key, at) => values[at] ?? made.get(key))
  }

  #none(): RecentValues<Key, Value> {
    return new RecentValues(this.maxSize / 2, this.sizeOf)
  }

  #forgetOld(): string | number {
    const version = this.version()
    if (version !== this.#at) this.#values = this.#none()
    this.#at = version
    return version
  }
}
