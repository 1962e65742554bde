/**
 * Source of growing data: available data is taken without waiting, and a bell rings whenever there may be more.
 * Thousands of readers cost no promise each.
 */
export interface PullSource<T> {
  /** The next; undefined while there is none. Throws what it failed with. */
  take(): T | undefined
  /** Nothing more comes. */
  readonly isDone: boolean
  /** Has a bell rung when there may be something to take, or it is over. */
  onReady(bell: () => void): void
  close(): void
}

/** The tail of what comes one by one: each is asked for when it is wanted, and nothing is begun before. */
export function toPullSource<T>(source: AsyncIterable<T>): PullSource<T> {
  return new IteratorSource(source[Symbol.asyncIterator]())
}

class IteratorSource<T> implements PullSource<T> {
  isDone = false
  #held: { value: T } | undefined
  #failed: { error: unknown } | undefined
  #asking = false
  #bell = () => {}

  constructor(private readonly source: AsyncIterator<T>) {}

  take(): T | undefined {
    if (this.#failed) throw this.#failed.error
    const held = this.#held
    this.#held = undefined
    if (!held) this.#ask()
    return held?.value
  }

  onReady(bell: () => void): void {
    this.#bell = bell
  }

  close(): void {
    this.isDone = true
    // A generator that waits for something else runs its `finally` when that settles; its failure is nobody's any more.
    this.source.return?.()?.catch(() => {})
  }

  #ask(): void {
    if (this.#asking || this.isDone) return
    this.#asking = true
    this.source
      .next()
      .then(
        ({ done, value }) => {
          if (done) this.isDone = true
          else this.#held = { value }
        },
        (error) => {
          this.#failed = { error }
        },
      )
      .then(() => {
        this.#asking = false
        this.#bell()
      })
  }
}
