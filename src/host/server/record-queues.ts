import type { Clock } from '../../core/clock.ts'
import type { Redactor } from '../../core/redact.ts'
import { RecordQueue } from '../acp/record-queue.ts'
import type { HostFiles } from './host-files.ts'

/** Of so many runs that are over, what nobody acknowledged is kept. */
const MAX_ENDED_RUNS = 200

/** The records of a host's agents that no supervisor has acknowledged; they are on disk, too. */
export class RecordQueues {
  readonly #running = new Map<string, RecordQueue>()
  readonly #over = new Map<string, RecordQueue>()

  constructor(
    private readonly parts: { clock: Clock; redactor: Redactor; records: HostFiles; report(sentence: string): void },
    private readonly appended: (queue: RecordQueue) => void,
  ) {
    this.restore()
  }

  get all(): RecordQueue[] {
    return [...this.#over.values(), ...this.#running.values()]
  }

  /** Takes up what earlier hosts put aside. */
  restore(): void {
    const { records, clock, redactor, report } = this.parts
    const known = new Set([...this.#over.keys(), ...this.#running.keys()])
    for (const { run, key, entries } of records.unacknowledged(known)) {
      const queue = RecordQueue.restored(key, run, entries, clock, redactor, records.recordFile({ run, key }, report))
      this.#over.set(run, queue)
      this.appended(queue)
    }
  }

  /** A running agent has produced a record. */
  onAppended(queue: RecordQueue): void {
    this.#running.set(queue.run, queue)
    this.appended(queue)
  }

  acknowledge(run: string, seq: number): void {
    const queue = this.#running.get(run) ?? this.#over.get(run)
    queue?.acknowledge(seq)
    if (queue?.isEmpty) this.#over.delete(run)
  }

  /** A run is over: its unacknowledged records are sent until they are acknowledged. */
  close(queue: RecordQueue): void {
    const { run } = queue
    this.#running.delete(run)
    if (queue.isEmpty) {
      queue.discard()
      return
    }
    queue.close()
    this.#over.set(run, queue)
    for (const old of [...this.#over.keys()].slice(0, -MAX_ENDED_RUNS)) this.#forget(old)
  }

  #forget(run: string): void {
    const queue = this.#over.get(run)
    this.parts.report(`what ${queue?.key} said last was never taken and is forgotten`)
    this.#over.delete(run)
    queue?.discard()
  }
}
