import type { Clock } from '../../core/clock.ts'
import type { Redactor } from '../../core/redact.ts'
import { RecordQueue } from '../acp/record-queue.ts'
import type { HostFiles } from './host-files.ts'

/** Of so many runs that are over, what nobody acknowledged is kept. */
const MAX_ENDED_RUNS = 200

/** What the agents of a host said and nobody has acknowledged; it is on disk, too. */
export class RecordQueues {
  readonly #running = new Map<string, RecordQueue>()
  readonly #over = new Map<string, RecordQueue>()

  constructor(
    private readonly parts: { clock: Clock; redactor: Redactor; records: HostFiles; report(sentence: string): void },
    private readonly appended: (ledger: RecordQueue) => void,
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
      const ledger = RecordQueue.restored(key, run, entries, clock, redactor, records.recordFile({ run, key }, report))
      this.#over.set(run, ledger)
      this.appended(ledger)
    }
  }

  /** A running agent has said something. */
  said(ledger: RecordQueue): void {
    this.#running.set(ledger.run, ledger)
    this.appended(ledger)
  }

  acknowledge(run: string, seq: number): void {
    const ledger = this.#running.get(run) ?? this.#over.get(run)
    ledger?.acknowledge(seq)
    if (ledger?.isEmpty) this.#over.delete(run)
  }

  /** A run is over: what nobody has acknowledged is told until somebody has. */
  close(ledger: RecordQueue): void {
    const { run } = ledger
    this.#running.delete(run)
    if (ledger.isEmpty) {
      ledger.discard()
      return
    }
    ledger.close()
    this.#over.set(run, ledger)
    for (const old of [...this.#over.keys()].slice(0, -MAX_ENDED_RUNS)) this.#forget(old)
  }

  #forget(run: string): void {
    const ledger = this.#over.get(run)
    this.parts.report(`what ${ledger?.key} said last was never taken and is forgotten`)
    this.#over.delete(run)
    ledger?.discard()
  }
}
