import type { Store, Tx } from '../../core/store/index.ts'

interface SlicedWorkOptions<Item> {
  readonly store: Store
  /** The remaining work as stored in the database, so that a restart continues it. */
  pending(): readonly Item[]
  /** Does one slice; returns whether more is left. */
  doSome(tx: Tx, item: Item): boolean
  report(error: unknown): void
}

/** Work in slices, one write each, because a single write would block the loop too long. */
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
