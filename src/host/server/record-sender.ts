import type { RecordQueue } from '../acp/record-queue.ts'

const CHUNK_CHARACTERS = 128 << 10

/** The way to a supervisor. */
export interface RecordChannel {
  /** Whether it takes more now; when it does again, `go` is called. */
  clear(): boolean
  send(queue: RecordQueue, lines: string[]): void
}

/** Sends agents' records to one supervisor, each once and in order. */
export class RecordSender {
  readonly #sentUpTo = new Map<RecordQueue, number>()
  #isSending = false

  constructor(
    private readonly way: RecordChannel,
    queues: readonly RecordQueue[],
  ) {
    for (const queue of queues) this.add(queue)
  }

  /** There is something new in a queue. */
  add(queue: RecordQueue): void {
    if (!this.#sentUpTo.has(queue)) this.#sentUpTo.set(queue, 0)
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => {
      this.#isSending = false
      this.send()
    })
  }

  /** Sends what was not sent yet, as much as the other end takes. */
  send(): void {
    for (const [queue, sentUpTo] of this.#sentUpTo) {
      const entries = queue.after(sentUpTo)
      if (entries.length === 0 && queue.isEmpty) this.#sentUpTo.delete(queue)
      for (let at = 0; at < entries.length; ) {
        if (!this.way.clear()) return
        const lines: string[] = []
        for (let size = 0; at < entries.length && size < CHUNK_CHARACTERS; at++) {
          const entry = entries[at]
          if (!entry) break
          lines.push(entry.line)
          size += entry.line.length
          this.#sentUpTo.set(queue, entry.seq)
        }
        this.way.send(queue, lines)
      }
    }
  }
}
