import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Redactor } from '../../core/text/index.ts'
import type { AgentRecordContent } from '../protocol/index.ts'

/** With so many bytes unacknowledged, nothing more is read from the agent. */
export const MAX_UNACKNOWLEDGED_BYTES = 4 << 20

/** A record as it travels and is kept: JSON, with our secrets struck out. */
export interface RecordLine {
  readonly seq: number
  readonly line: string
}

/** Storage of records that outlives the process. */
export interface RecordStorage {
  add(entry: RecordLine): void
  /** Only these are left. */
  keep(entries: readonly RecordLine[]): void
  close(): void
  drop(): void
}

/** The records of one agent's run, numbered, and kept until a supervisor has acknowledged them. */
export class RecordQueue {
  #entries: RecordLine[] = []
  #bytes = 0
  #last = 0
  #freed = Promise.withResolvers<void>()
  #open = false

  constructor(
    readonly key: string,
    readonly run: string,
    private readonly clock: Clock,
    private readonly redactor: Redactor,
    private readonly storage: RecordStorage,
    private readonly appended: (queue: RecordQueue) => void,
  ) {}

  /** The records of a run that is over, as they were found on disk. */
  static restored(
    key: string,
    run: string,
    entries: readonly RecordLine[],
    clock: Clock,
    redactor: Redactor,
    storage: RecordStorage,
  ): RecordQueue {
    const queue = new RecordQueue(key, run, clock, redactor, storage, () => {})
    for (const entry of entries) queue.#keep(entry)
    return queue
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get bytes(): number {
    return this.#bytes
  }

  append(content: AgentRecordContent): void {
    const seq = this.#last + 1
    const entry = {
      seq,
      line: this.redactor.redact(JSON.stringify({ seq, at: toTimestamp(this.clock.now()), ...content })),
    }
    this.#keep(entry)
    this.storage.add(entry)
    this.appended(this)
  }

  /** Records after `seq` that are not acknowledged, in order. */
  after(seq: number): readonly RecordLine[] {
    const first = this.#entries[0]?.seq ?? 0
    return this.#entries.slice(Math.max(0, seq + 1 - first))
  }

  /** A supervisor has kept everything up to `seq`. */
  acknowledge(seq: number): void {
    const taken = this.#entries.findLastIndex((entry) => entry.seq <= seq) + 1
    for (const { line } of this.#entries.splice(0, taken)) this.#bytes -= line.length
    if (taken > 0) this.storage.keep(this.#entries)
    if (this.#bytes < MAX_UNACKNOWLEDGED_BYTES) this.#free()
  }

  /** Resolves when more may be read from the agent. */
  async whenReadable(): Promise<void> {
    while (!this.#open && this.#bytes >= MAX_UNACKNOWLEDGED_BYTES) await this.#freed.promise
  }

  /** The agent is gone: what it wrote last is read, whatever waits. */
  endBackpressure(): void {
    this.#open = true
    this.#free()
  }

  /** No more records follow; those that are not acknowledged stay on disk. */
  close(): void {
    this.storage.close()
  }

  /** No one will take what is left. */
  discard(): void {
    this.storage.drop()
  }

  #keep(entry: RecordLine): void {
    this.#last = entry.seq
    this.#entries.push(entry)
    this.#bytes += entry.line.length
  }

  #free(): void {
    this.#freed.resolve()
    this.#freed = Promise.withResolvers()
  }
}
