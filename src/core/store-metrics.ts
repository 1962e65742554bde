import { AppError } from './errors.ts'
import { DurationHistogram, type HistogramSnapshot } from './metrics/histogram.ts'

/** How whoever asked for a write learns what became of it. */
interface WriteOutcome {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Counts what becomes of the writes of a store. */
export class StoreMetrics {
  readonly #writes = new DurationHistogram()
  #failures = 0

  /** How long writes took, from when they were asked for until they were on disk. */
  writes(): HistogramSnapshot {
    return this.#writes.snapshot()
  }

  /** How many writes the store did not take; those that their own rules rejected are not counted. */
  get failures(): number {
    return this.#failures
  }

  /** Counts a write that begins now, once its outcome is known. */
  measure({ resolve, reject }: WriteOutcome): WriteOutcome {
    const begun = performance.now()
    return {
      resolve: (value) => {
        this.#writes.observe(performance.now() - begun)
        resolve(value)
      },
      reject: (error) => reject(this.count(error)),
    }
  }

  /** Counts the error of a write if it is the store's, and returns it. */
  count<Thrown>(error: Thrown): Thrown {
    if (error instanceof AppError && error.code === 'store-unavailable') this.#failures++
    return error
  }
}
