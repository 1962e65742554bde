import type { Timers } from '../../src/client/follow.ts'

/** Between two reads; as long as that a burst of events is waited for. */
const MIN_PAUSE_MS = 300
/** While events rain. */
const MAX_PAUSE_MS = 2_000
/** So many events during one pause are a rain: the next pause is twice as long, or half as long after fewer. */
const RAIN = 4

/**
 * Reads what is shown again when it has changed: immediately after a quiet time, then once for all that changes within
 * a pause, and always after the last change. The pauses grow while events rain, so that a busy city costs no more to
 * watch than a quiet one.
 */
export class Refresh {
  #pause = MIN_PAUSE_MS
  #changes = 0
  #isWanted = false
  #isReading = false
  #resting: { cancel(): void } | undefined

  constructor(
    private readonly timers: Timers,
    private readonly read: () => Promise<void>,
    private readonly signal: AbortSignal,
  ) {}

  /** An event has changed what is shown. */
  changed(): void {
    this.#changes++
    this.#isWanted = true
    if (!this.#isReading && !this.#resting) void this.#run()
  }

  /** A person waits for it: there is no longer pause than the shortest. */
  soon(): void {
    this.#isWanted = true
    const waits = this.#isReading || (this.#resting && this.#pause === MIN_PAUSE_MS)
    this.#pause = MIN_PAUSE_MS
    if (!waits) void this.#run()
  }

  async #run(): Promise<void> {
    this.#resting?.cancel()
    this.#resting = undefined
    if (this.signal.aborted) return
    this.#changes = 0
    this.#isWanted = false
    this.#isReading = true
    try {
      await this.read()
    } finally {
      this.#isReading = false
      this.#resting = this.timers.after(this.#pause, () => this.#rested())
    }
  }

  #rested(): void {
    this.#resting = undefined
    const next = this.#changes < RAIN ? this.#pause / 2 : this.#pause * 2
    this.#pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, next))
    if (this.#isWanted) void this.#run()
  }
}
