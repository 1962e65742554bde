import type { SseFrame } from '../../../http/sse.ts'
import type { PendingInteraction } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { TranscriptFormat } from '../structured/transcript.ts'

export interface QuestionMonitorOptions {
  /** What a session's program asks a person now. */
  pending(row: SessionRow): PendingInteraction | undefined
  /** Calls the listener when a session asks something, or that is answered; returns the unsubscribe function. */
  onAsked(row: SessionRow, listener: () => void): () => void
}

/** Tells the reader of a session's stream what its program asks a person, as soon as that comes up or goes. */
export class QuestionMonitor {
  #told: string | undefined
  #isDue = true
  #repeats = false
  readonly #unsubscribe: () => void

  constructor(
    private readonly options: QuestionMonitorOptions,
    private readonly row: SessionRow,
    private readonly format: TranscriptFormat,
    notify: () => void,
  ) {
    this.#unsubscribe = options.onAsked(row, () => {
      this.#isDue = true
      notify()
    })
  }

  /** More of the conversation was sent; readers of the raw format take what was asked before for answered by that. */
  onProgress(): void {
    if (this.format === 'raw') this.#isDue = this.#repeats = true
  }

  /** The frames about a question that came up or went away. */
  frames(activity: string | undefined, nextId: () => { id?: string }): SseFrame[] {
    if (!this.#isDue) return []
    this.#isDue = false
    const now = this.options.pending(this.row)
    const before = this.#told
    const isKnown = now?.request_id === before && !this.#repeats
    this.#told = now?.request_id
    this.#repeats = false
    if (now) return isKnown ? [] : [{ ...nextId(), event: 'pending', data: now }]
    if (before === undefined) return []
    const resumed = { ...nextId(), event: 'activity', data: { activity: activity ?? 'in-turn' } }
    return this.format === 'raw' ? [resumed] : [{ event: 'pending_cleared', data: { request_id: before } }, resumed]
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}
