import type { Clock } from '../../core/clock.ts'
import type { Redactor } from '../../core/redact.ts'
import { Ledger } from '../acp/ledger.ts'
import type { Records } from './records.ts'

/** Of so many runs that are over, what nobody acknowledged is kept. */
const OVER_MOST = 200

/** What the agents of a host said and nobody has acknowledged; it is on disk, too. */
export class Ledgers {
  readonly #running = new Map<string, Ledger>()
  readonly #over = new Map<string, Ledger>()

  constructor(
    private readonly parts: { clock: Clock; redactor: Redactor; records: Records; report(sentence: string): void },
    private readonly appended: (ledger: Ledger) => void,
  ) {
    this.restore()
  }

  get all(): Ledger[] {
    return [...this.#over.values(), ...this.#running.values()]
  }

  /** Takes up what earlier hosts put aside. */
  restore(): void {
    const { records, clock, redactor, report } = this.parts
    const known = new Set([...this.#over.keys(), ...this.#running.keys()])
    for (const { run, key, entries } of records.unheard(known)) {
      const ledger = Ledger.restored(key, run, entries, clock, redactor, records.shelf({ run, key }, report))
      this.#over.set(run, ledger)
      this.appended(ledger)
    }
  }

  /** A running agent has said something. */
  said(ledger: Ledger): void {
    this.#running.set(ledger.run, ledger)
    this.appended(ledger)
  }

  acknowledge(run: string, seq: number): void {
    const ledger = this.#running.get(run) ?? this.#over.get(run)
    ledger?.acknowledge(seq)
    if (ledger?.empty) this.#over.delete(run)
  }

  /** A run is over: what nobody has acknowledged is told until somebody has. */
  close(ledger: Ledger): void {
    const { run } = ledger
    this.#running.delete(run)
    if (ledger.empty) {
      ledger.forget()
      return
    }
    ledger.close()
    this.#over.set(run, ledger)
    for (const old of [...this.#over.keys()].slice(0, -OVER_MOST)) this.#forget(old)
  }

  #forget(run: string): void {
    const ledger = this.#over.get(run)
    this.parts.report(`what ${ledger?.key} said last was never taken and is forgotten`)
    this.#over.delete(run)
    ledger?.forget()
  }
}
