/** Maximum number of values were so large: `le` is the bound, `count` includes those of the smaller bounds. */
export interface HistogramBucket {
  readonly le: number
  readonly count: number
}

/** Counts of a histogram so far. */
export interface HistogramSnapshot {
  readonly buckets: readonly HistogramBucket[]
  readonly sum: number
  readonly count: number
}

/** From a millisecond to ten seconds. */
const BOUNDS_IN_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts durations by their length, in constant space. */
export class DurationHistogram {
  readonly #counts: number[] = BOUNDS_IN_SECONDS.map(() => 0)
  #sum = 0
  #count = 0

  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000
    const at = BOUNDS_IN_SECONDS.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += seconds
    this.#count++
  }

  snapshot(): HistogramSnapshot {
    let count = 0
    const buckets = BOUNDS_IN_SECONDS.map((le, at) => {
      count += this.#counts[at] ?? 0
      return { le, count }
    })
    return { buckets, sum: this.#sum, count: this.#count }
  }
}
