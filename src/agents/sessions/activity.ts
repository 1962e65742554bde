import type { LogStatus } from '../conversations/entries/status.ts'

/** What is known of running sessions only while we run: when they last showed something, and who looks at them. */
export class SessionActivity {
  readonly #output = new Map<string, number>()
  readonly #viewers = new Map<string, number>()
  #logs: { status(session: string): LogStatus | undefined } | undefined

  lastOutput(session: string): number | undefined {
    return this.#output.get(session)
  }

  recordOutput(session: string, at: number): void {
    this.#output.set(session, Math.max(at, this.#output.get(session) ?? 0))
  }

  readBy(logs: { status(session: string): LogStatus | undefined }): void {
    this.#logs = logs
  }

  /** How a session is, by the log of its program. */
  standing(session: string): LogStatus {
    return this.#logs?.status(session) ?? {}
  }

  isAttached(session: string): boolean {
    return (this.#viewers.get(session) ?? 0) > 0
  }

  /** Counts a viewer; returns how to stop. */
  addViewer(session: string): () => void {
    this.#viewers.set(session, (this.#viewers.get(session) ?? 0) + 1)
    let looking = true
    return () => {
      if (!looking) return
      looking = false
      const left = (this.#viewers.get(session) ?? 1) - 1
      if (left > 0) this.#viewers.set(session, left)
      else this.#viewers.delete(session)
    }
  }

  forget(session: string): void {
    this.#output.delete(session)
  }
}
