import type { RecordQueue } from '../acp/record-queue.ts'

const CHUNK_CHARACTERS = 128 << 10

/** The way to a supervisor. */
export interface RecordChannel {
  /** Whether it takes more now; when it does again, `go` is called. */
  clear(): boolean
  send(ledger: RecordQueue, lines: string[]): void
}

/** Tells one supervisor what agents said, each record once and in order. */
export class RecordSender {
  readonly #told = new Map<RecordQueue, number>()
  #going = false

  constructor(
    private readonly way: RecordChannel,
    ledgers: readonly RecordQueue[],
  ) {
    for (const ledger of ledgers) this.add(ledger)
  }

  /** There is something new in a ledger. */
  add(ledger: RecordQueue): void {
    if (!this.#told.has(ledger)) this.#told.set(ledger, 0)
    if (this.#going) return
    this.#going = true
    setImmediate(() => {
      this.#going = false
      this.send()
    })
  }

  /** Sends what was not sent yet, as much as the other end takes. */
  send(): void {
    for (const [ledger, told] of this.#told) {
      const entries = ledger.after(told)
      if (entries.length === 0 && ledger.isEmpty) this.#told.delete(ledger)
      for (let at = 0; at < entries.length; ) {
        if (!this.way.clear()) return
        const lines: string[] = []
        for (let size = 0; at < entries.length && size < CHUNK_CHARACTERS; at++) {
          const entry = entries[at]
          if (!entry) break
          lines.push(entry.line)
          size += entry.line.length
          this.#told.set(ledger, entry.seq)
        }
        this.way.send(ledger, lines)
      }
    }
  }
}
