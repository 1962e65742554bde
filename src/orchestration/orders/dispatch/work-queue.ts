/** Takes the next name out of the queue; undefined when it is empty. */
export type Take = () => string | undefined

/** Names to work on one after the other, each waiting once however often it is added. */
export class WorkQueue {
  readonly #names = new Set<string>()
  #running: Promise<void> | undefined
  #isStopped = false

  /** `work` takes some names and works on them; it never throws. */
  constructor(private readonly work: (take: Take) => Promise<void>) {}

  add(name: string): void {
    if (this.#isStopped) return
    this.#names.add(name)
    this.#running ??= this.#run()
  }

  async whenIdle(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Forgets what waits; resolves when nothing is worked on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#names.clear()
    await this.#running
  }

  /** Ends in the same stretch in which it saw that nothing is left. */
  async #run(): Promise<void> {
    await undefined
    while (this.#names.size > 0) {
      await this.work(() => this.#take())
      await nextTick()
    }
    this.#running = undefined
  }

  #take(): string | undefined {
    const [name] = this.#names
    if (name !== undefined) this.#names.delete(name)
    return name
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
