import type { HostedCommands } from '../../../agents/commands/hosted-commands.ts'
import type { OrderRuns } from './order-runs.ts'
import type { OrderProgress } from './request.ts'

interface RunWatchOptions {
  runs: OrderRuns
  commands: Pick<HostedCommands, 'follow'>
}

/** Follows runs: what their commands print, then how they end. */
export class RunWatch {
  readonly #options: RunWatchOptions
  readonly #listeners = new Map<string, Set<() => void>>()

  constructor(options: RunWatchOptions) {
    this.#options = options
  }

  /** Something about a run is on disk: it runs, or it is over. */
  emitChange(trackingId: string): void {
    for (const listener of this.#listeners.get(trackingId) ?? []) listener()
  }

  async *follow(trackingId: string, signal: AbortSignal): AsyncGenerator<OrderProgress> {
    const { runs, commands } = this.#options
    const started = await this.#when(trackingId, (state) => state !== 'starting', signal)
    if (started?.kind === 'exec' && started.state === 'running') {
      const decoder = new TextDecoder()
      try {
        for await (const bytes of commands.follow(trackingId, signal)) {
          yield { kind: 'output', text: decoder.decode(bytes, { stream: true }) }
        }
      } catch {
        // Its exit was recorded before it could be followed: its row has what it printed.
      }
    }
    const run = await this.#when(trackingId, (state) => state === 'done', signal)
    if (run?.state === 'done') yield { kind: 'ended', run, output: runs.output(trackingId) }
  }

  /** The run once its state is as wanted, or it is gone, or the signal is aborted. */
  async #when(trackingId: string, isWanted: (state: string) => boolean, signal: AbortSignal) {
    for (;;) {
      const run = this.#options.runs.find(trackingId)
      if (!run || isWanted(run.state) || signal.aborted) return run
      await this.#change(trackingId, signal)
    }
  }

  #change(trackingId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const listeners = this.#listeners.get(trackingId) ?? new Set()
    this.#listeners.set(trackingId, listeners.add(wake))
    signal.addEventListener('abort', wake, { once: true })
    return promise.finally(() => {
      listeners.delete(wake)
      if (listeners.size === 0) this.#listeners.delete(trackingId)
      signal.removeEventListener('abort', wake)
    })
  }
}
