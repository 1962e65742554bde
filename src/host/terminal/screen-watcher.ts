import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { TerminalHost, TerminalScreen } from './terminal-host.ts'

/** A screen without output for this long is quiet. */
const QUIET_MS = 250

export interface ScreenView {
  screen: TerminalScreen
  /** True if nothing was written for a moment. */
  quiet: boolean
}

/** There is no screen to look at any more. */
export class ProgramEnded extends Error {
  constructor() {
    super('its program ended')
  }
}

/** Looks at the screen of a session whenever its program wrote something, and once when it fell quiet. */
export class ScreenWatcher {
  #quiet = false
  #quietTimer: Deadline | undefined
  #changed = false
  #wake: (() => void) | undefined
  #over: unknown
  readonly #stop: (() => void)[]

  constructor(
    private readonly host: TerminalHost,
    private readonly key: string,
    private readonly deadlines: Deadlines,
    signal?: AbortSignal,
    /** True if the screen is known to be quiet already. */
    isQuiet = false,
  ) {
    const abort = () => this.#end(signal?.reason ?? new Error('it was given up'))
    signal?.addEventListener('abort', abort, { once: true })
    this.#stop = [
      host.onOutput(key, () => this.#output()),
      host.onExit((exit) => exit.key === key && this.#end(new ProgramEnded())),
      () => signal?.removeEventListener('abort', abort),
    ]
    if (isQuiet) this.#quiet = true
    else this.#output()
    if (signal?.aborted) abort()
  }

  /** First defined result of `decide` on the screen; undefined after `ms`. */
  async until<T>(ms: number, decide: (check: ScreenView) => T | undefined): Promise<T | undefined> {
    let late = false
    const deadline = this.deadlines.after(ms, () => {
      late = true
      this.check()
    })
    try {
      for (;;) {
        this.#changed = false
        const quiet = this.#quiet
        const screen = await this.host.screen(this.key)
        if (this.#over) throw this.#over
        const decided = decide({ screen, quiet })
        if (decided !== undefined || late) return decided
        await this.#change()
      }
    } finally {
      deadline.cancel()
    }
  }

  /** Looks again though nothing was written. */
  check(): void {
    this.#changed = true
    this.#wake?.()
  }

  close(): void {
    this.#quietTimer?.cancel()
    for (const stop of this.#stop) stop()
  }

  #output(): void {
    this.#quiet = false
    this.#quietTimer?.cancel()
    this.#quietTimer = this.deadlines.after(QUIET_MS, () => {
      this.#quiet = true
      this.check()
    })
    this.check()
  }

  #end(reason: unknown): void {
    this.#over = reason
    this.check()
  }

  #change(): Promise<void> {
    if (this.#changed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
