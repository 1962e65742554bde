/** Open requests to the server. */
export class Waits {
  readonly #asked = new Set<{ readonly since: number }>()

  constructor(private readonly now: () => number) {}

  /** Since when the longest of them waits. */
  get since(): number | undefined {
    const [first] = this.#asked
    return first?.since
  }

  /** Waits for an answer. */
  async for<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const asked = { since: this.now() }
    this.#asked.add(asked)
    try {
      return await answer
    } finally {
      this.#asked.delete(asked)
    }
  }
}
