import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { PendingInteraction } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'

export interface QuestionMonitorOptions {
  deadlines: Deadlines
  pending(row: SessionRow): Promise<PendingInteraction | undefined>
  /** Calls the listener when a session's screen changes; returns the unsubscribe function. */
  onScreenChange(row: SessionRow, listener: () => void): () => void
}

/** A program that logged nothing for this long may be waiting for an answer. */
const QUIET_MS = 5000

/** Notices questions that a program asks a person while its log does not grow. */
export class QuestionMonitor {
  #current: PendingInteraction | undefined
  #timer: Deadline | undefined
  #isCheckDue = false
  readonly #unsubscribe: () => void

  constructor(
    private readonly options: QuestionMonitorOptions,
    private readonly row: SessionRow,
    private readonly isStructured: boolean,
    private readonly notify: () => void,
  ) {
    this.#unsubscribe = options.onScreenChange(row, () => this.#scheduleCheck())
    this.#scheduleCheck()
  }

  /** The log grew, so an open question was answered or dropped. */
  onLogProgress(): void {
    if (!this.isStructured) this.#current = undefined
    this.#isCheckDue = this.#current !== undefined
    this.#timer?.cancel()
    this.#timer = undefined
    this.#scheduleCheck()
  }

  /** The frames about a question that appeared or went away. */
  async frames(activity: string | undefined, nextId: () => { id?: string }): Promise<SseFrame[]> {
    if (!this.#isCheckDue) return []
    this.#isCheckDue = false
    const now = await this.options.pending(this.row).catch(() => undefined)
    const before = this.#current
    this.#current = now
    if (now) return now.request_id === before?.request_id ? [] : [{ ...nextId(), event: 'pending', data: now }]
    if (!before) return []
    const cleared = { event: 'pending_cleared', data: { request_id: before.request_id } }
    const resumed = { ...nextId(), event: 'activity', data: { activity: activity ?? 'in-turn' } }
    return this.isStructured ? [cleared, resumed] : [resumed]
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel()
    this.#unsubscribe()
  }

  #scheduleCheck(): void {
    this.#timer ??= this.options.deadlines.after(QUIET_MS, () => {
      this.#timer = undefined
      this.#isCheckDue = true
      this.notify()
    })
  }
}
