import type { Store, Tx } from '../../core/store/store.ts'

interface SlicedWorkOptions<Item> {
  readonly store: Store
  /** What is left to do, as the database has it: after a restart, too. */
  pending(): readonly Item[]
  /** Does some of it; whether more is left. */
  doSome(tx: Tx, item: Item): boolean
  report(error: unknown): void
}

/** Work that would hold the loop too long in one write: it is done in slices, a write each. */
export class SlicedWork<Item> {
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(private readonly options: SlicedWorkOptions<Item>) {}

  /** Does all that is left. */
  resume(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run()
      .catch(this.options.report)
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      for (const item of this.options.pending()) await this.#finish(item)
    }
  }

  async #finish(item: Item): Promise<void> {
    const { store, doSome } = this.options
    while (!this.#stopped && (await store.write((tx) => doSome(tx, item))));
  }
}
