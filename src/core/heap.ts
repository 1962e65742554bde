/** What a heap holds: it keeps its own place there, so that it can be taken out from anywhere. */
export interface HeapEntry {
  readonly due: number
  index: number
}

/** The place of what is in no heap. */
export const NOT_IN_HEAP = -1

/** Entries by their due moment, the nearest first; adding and taking out cost the logarithm of how many there are. */
export class Heap<Entry extends HeapEntry> {
  #entries: Entry[] = []

  get size(): number {
    return this.#entries.length
  }

  get nearest(): Entry | undefined {
    return this.#entries[0]
  }

  add(entry: Entry): void {
    this.#put(entry, this.#entries.length)
    this.#rise(entry)
  }

  /** Takes an entry out; false when it is not here. */
  remove(entry: Entry): boolean {
    const { index: place } = entry
    if (this.#entries[place] !== entry) return false
    const last = this.#entries.pop()
    entry.index = NOT_IN_HEAP
    if (!last || last === entry) return true
    this.#put(last, place)
    this.#rise(last)
    this.#sink(last)
    return true
  }

  /** Takes everything out, in no order. */
  clear(): Entry[] {
    const all = this.#entries
    this.#entries = []
    for (const entry of all) entry.index = NOT_IN_HEAP
    return all
  }

  #rise(entry: Entry): void {
    for (;;) {
      const { index: place } = entry
      const above = this.#entries[(place - 1) >> 1]
      if (place === 0 || !above || above.due <= entry.due) return
      const to = above.index
      this.#put(above, place)
      this.#put(entry, to)
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const { index: place } = entry
      const left = this.#entries[2 * place + 1]
      const right = this.#entries[2 * place + 2]
      const below = left && right && right.due < left.due ? right : left
      if (!below || entry.due <= below.due) return
      const to = below.index
      this.#put(below, place)
      this.#put(entry, to)
    }
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry
    entry.index = place
  }
}
