/** State of sessions that exists only while they run: last output and viewers. */
export class SessionActivity {
  readonly #outputTimes = new Map<string, number>()
  readonly #busyUntil = new Map<string, number>()
  readonly #viewers = new Map<string, number>()

  lastOutput(session: string): number | undefined {
    return this.#outputTimes.get(session)
  }

  recordOutput(session: string, at: number): void {
    this.#outputTimes.set(session, Math.max(at, this.#outputTimes.get(session) ?? 0))
  }

  /** Until when a look at its program showed that a session is not idle; 0 for never. */
  busyUntil(session: string): number {
    return this.#busyUntil.get(session) ?? 0
  }

  markBusy(session: string, until: number): void {
    this.#busyUntil.set(session, until)
  }

  isAttached(session: string): boolean {
    return (this.#viewers.get(session) ?? 0) > 0
  }

  /** Counts a viewer; returns how to remove it. */
  addViewer(session: string): () => void {
    this.#viewers.set(session, (this.#viewers.get(session) ?? 0) + 1)
    let isViewing = true
    return () => {
      if (!isViewing) return
      isViewing = false
      const left = (this.#viewers.get(session) ?? 1) - 1
      if (left > 0) this.#viewers.set(session, left)
      else this.#viewers.delete(session)
    }
  }

  forget(session: string): void {
    this.#outputTimes.delete(session)
    this.#busyUntil.delete(session)
  }
}
