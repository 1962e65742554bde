import { errorMessage } from '../../core/errors.ts'
import type { Exit } from '../protocol/session.ts'

/** Handles an exit. `false` means that it is not this listener's; anything else, once resolved, that it was stored. */
export type ExitListener = (exit: Exit) => unknown

interface PendingExit {
  exit: Exit
  acknowledge: () => void
}

/** How many acknowledged exits are remembered, in case a host reports one again. */
const MAX_ACKNOWLEDGED = 1_000

/** Passes each exit to all listeners, and acknowledges it once one has stored it and none has failed. */
export class ExitDispatcher {
  readonly #listeners = new Set<ExitListener>()
  readonly #pending = new Map<string, PendingExit>()
  readonly #acknowledged = new Set<string>()

  constructor(private readonly report: (sentence: string) => void) {}

  subscribe(listener: ExitListener): () => void {
    this.#listeners.add(listener)
    for (const pending of this.#pending.values()) void this.#notify(pending, [listener])
    return () => this.#listeners.delete(listener)
  }

  dispatch(exit: Exit, acknowledge: () => void): void {
    if (this.#acknowledged.has(exit.run)) acknowledge()
    else this.#queue({ exit, acknowledge })
  }

  #queue(pending: PendingExit): void {
    this.#pending.set(pending.exit.run, pending)
    void this.#notify(pending, [...this.#listeners])
  }

  async #notify({ exit, acknowledge }: PendingExit, listeners: ExitListener[]): Promise<void> {
    try {
      const results = await Promise.all(listeners.map(async (listener) => listener(exit)))
      if (results.some((stored) => stored !== false)) this.#finish(exit, acknowledge)
    } catch (error) {
      this.report(`the exit of ${exit.key} was not handled: ${errorMessage(error)}`)
    }
  }

  #finish(exit: Exit, acknowledge: () => void): void {
    this.#pending.delete(exit.run)
    this.#acknowledged.add(exit.run)
    for (const run of [...this.#acknowledged].slice(0, -MAX_ACKNOWLEDGED)) this.#acknowledged.delete(run)
    acknowledge()
  }
}
