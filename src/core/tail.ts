/**
 * What a reader is given of something that grows: what is there is taken without waiting, and a bell rings whenever there
 * may be more. Thousands of readers cost no promise each.
 */
export interface Tail<T> {
  /** The next; undefined while there is none. Throws what it failed with. */
  take(): T | undefined
  /** Nothing more comes. */
  readonly over: boolean
  /** Has a bell rung when there may be something to take, or it is over. */
  listen(bell: () => void): void
  close(): void
}

/** The tail of what comes one by one: each is asked for when it is wanted, and nothing is begun before. */
export function tailOf<T>(source: AsyncIterable<T>): Tail<T> {
  return new Asked(source[Symbol.asyncIterator]())
}

class Asked<T> implements Tail<T> {
  over = false
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

  listen(bell: () => void): void {
    this.#bell = bell
  }

  close(): void {
    this.over = true
    // A generator that waits for something else runs its `finally` when that settles; its failure is nobody's any more.
    this.source.return?.()?.catch(() => {})
  }

  #ask(): void {
    if (this.#asking || this.over) return
    this.#asking = true
    this.source
      .next()
      .then(
        ({ done, value }) => {
          if (done) this.over = true
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
