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
  readonly #untaken = new Map<string, PendingExit>()
  readonly #taken = new Set<string>()

  constructor(private readonly report: (sentence: string) => void) {}

  subscribe(listener: ExitListener): () => void {
    this.#listeners.add(listener)
    for (const untaken of this.#untaken.values()) void this.#tell(untaken, [listener])
    return () => this.#listeners.delete(listener)
  }

  dispatch(exit: Exit, acknowledge: () => void): void {
    if (this.#taken.has(exit.run)) acknowledge()
    else this.#first({ exit, acknowledge })
  }

  #first(untaken: PendingExit): void {
    this.#untaken.set(untaken.exit.run, untaken)
    void this.#tell(untaken, [...this.#listeners])
  }

  async #tell({ exit, acknowledge }: PendingExit, listeners: ExitListener[]): Promise<void> {
    try {
      const heard = await Promise.all(listeners.map(async (listener) => listener(exit)))
      if (heard.some((kept) => kept !== false)) this.#take(exit, acknowledge)
    } catch (error) {
      this.report(`the exit of ${exit.key} was not taken: ${errorMessage(error)}`)
    }
  }

  #take(exit: Exit, acknowledge: () => void): void {
    this.#untaken.delete(exit.run)
    this.#taken.add(exit.run)
    for (const run of [...this.#taken].slice(0, -MAX_ACKNOWLEDGED)) this.#taken.delete(run)
    acknowledge()
  }
}
