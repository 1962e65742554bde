/** The steps of sessions that are under way, such as starts and ends of their programs; a session takes one at a time. */
export class SessionSteps {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #listeners = new Set<() => void>()

  isBusy(session: string): boolean {
    return this.#underWay.has(session)
  }

  /** Runs a step once those that the session began before are done. */
  exclusively<T>(session: string, step: () => Promise<T>): Promise<T> {
    const previous = this.#underWay.get(session) ?? Promise.resolve()
    const run = previous.then(step, step)
    const done: Promise<void> = run.catch(() => {}).then(() => this.#onDone(session, done))
    this.#underWay.set(session, done)
    return run
  }

  /** Calls the listener whenever a session has no step under way any more. */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when no session has a step under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values())
  }

  #onDone(session: string, step: Promise<unknown>): void {
    if (this.#underWay.get(session) !== step) return
    this.#underWay.delete(session)
    for (const listener of this.#listeners) listener()
  }
}
