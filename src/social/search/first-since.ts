import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'

/** Finds where a time range begins, among rows that are in the order of their creation. */
export class FirstSince {
  readonly #last: Statement<{ n: number | null }, []>
  readonly #createdFrom: Statement<{ at: number }, [number]>

  constructor(store: Store, table: 'posts' | 'comments') {
    this.#last = store.prepare(`SELECT max(n) AS n FROM ${table}`)
    this.#createdFrom = store.prepare(`SELECT created_at AS at FROM ${table} WHERE n >= ? ORDER BY n LIMIT 1`)
  }

  /** The number of the first row since a moment; one more than the last when there is none. */
  find(moment: number): number {
    let [low, high] = [0, (this.#last.get()?.n ?? 0) + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = this.#createdFrom.get(middle)?.at ?? Number.MAX_SAFE_INTEGER
      if (at < moment) low = middle + 1
      else high = middle
    }
    return low
  }
}
