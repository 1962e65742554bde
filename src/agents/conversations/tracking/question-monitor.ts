import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { SseFrame } from '../../../http/sse.ts'
import type { PendingInteraction } from '../../sessions/schema.ts'
import type { SessionRow } from '../../sessions/table.ts'

/** What looking for questions needs. */
export interface AskingNeeds {
  deadlines: Deadlines
  pending(row: SessionRow): Promise<PendingInteraction | undefined>
  /** Hears that a session's screen changed. */
  onScreen(row: SessionRow, hear: () => void): () => void
}

type Pending = PendingInteraction
/** A program that wrote nothing for so long may be asking something. */
const QUIET_MS = 5000

/** Notices what a program asks a person while its log stands still. */
export class Asking {
  #shown: Pending | undefined
  #due: Deadline | undefined
  #look = false
  readonly #stop: () => void

  constructor(
    private readonly needs: AskingNeeds,
    private readonly row: SessionRow,
    private readonly structured: boolean,
    private readonly beat: () => void,
  ) {
    this.#stop = needs.onScreen(row, () => this.#wait())
    this.#wait()
  }

  /** The log went on: what was asked is answered or forgotten. */
  progressed(): void {
    if (!this.structured) this.#shown = undefined
    this.#look = this.#shown !== undefined
    this.#due?.cancel()
    this.#due = undefined
    this.#wait()
  }

  /** Frames about a question that came up or went away. */
  async frames(activity: string | undefined, count: () => { id?: string }): Promise<SseFrame[]> {
    if (!this.#look) return []
    this.#look = false
    const now = await this.needs.pending(this.row).catch(() => undefined)
    const before = this.#shown
    this.#shown = now
    if (now) return now.request_id === before?.request_id ? [] : [{ ...count(), event: 'pending', data: now }]
    if (!before) return []
    const cleared = { event: 'pending_cleared', data: { request_id: before.request_id } }
    const goesOn = { ...count(), event: 'activity', data: { activity: activity ?? 'in-turn' } }
    return this.structured ? [cleared, goesOn] : [goesOn]
  }

  close(): void {
    this.#due?.cancel()
    this.#stop()
  }

  #wait(): void {
    this.#due ??= this.needs.deadlines.after(QUIET_MS, () => {
      this.#due = undefined
      this.#look = true
      this.beat()
    })
  }
}
