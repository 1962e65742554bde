import type { Clock } from '../../core/clock.ts'
import type { Redactor } from '../../core/redact.ts'
import { RecordQueue } from '../acp/record-queue.ts'
import type { HostFiles } from './host-files.ts'

/** How many ended runs keep their unacknowledged records. */
const MAX_ENDED_RUNS = 200

/** The records of a host's agents that no supervisor has acknowledged; they are on disk, too. */
export class RecordQueues {
  readonly #running = new Map<string, RecordQueue>()
  readonly #ended = new Map<string, RecordQueue>()

  constructor(
    private readonly dependencies: {
      clock: Clock
      redactor: Redactor
      records: HostFiles
      report(sentence: string): void
    },
    private readonly appended: (queue: RecordQueue) => void,
  ) {
    this.restore()
  }

  get all(): RecordQueue[] {
    return [...this.#ended.values(), ...this.#running.values()]
  }

  /** Restores the queues that earlier hosts left. */
  restore(): void {
    const { records, clock, redactor, report } = this.dependencies
    const runs = new Set([...this.#ended.keys(), ...this.#running.keys()])
    for (const { run, key, entries } of records.unacknowledged(runs)) {
      const queue = RecordQueue.restored(key, run, entries, clock, redactor, records.recordFile({ run, key }, report))
      this.#ended.set(run, queue)
      this.appended(queue)
    }
  }

  /** A running agent has produced a record. */
  onAppended(queue: RecordQueue): void {
    this.#running.set(queue.run, queue)
    this.appended(queue)
  }

  acknowledge(run: string, seq: number): void {
    const queue = this.#running.get(run) ?? this.#ended.get(run)
    queue?.acknowledge(seq)
    if (queue?.isEmpty) this.#ended.delete(run)
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
    this.#ended.set(run, queue)
    for (const old of [...this.#ended.keys()].slice(0, -MAX_ENDED_RUNS)) this.#forget(old)
  }

  #forget(run: string): void {
    const queue = this.#ended.get(run)
    this.dependencies.report(`the last records of ${queue?.key} were never acknowledged and are dropped`)
    this.#ended.delete(run)
    queue?.discard()
  }
}
