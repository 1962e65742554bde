import type { Clock } from '../../core/clock.ts'
import { sentence } from '../../core/errors.ts'
import { Ledger } from '../acp/ledger.ts'
import type { Records } from './records.ts'

/** Of so many runs that are over, what nobody acknowledged is kept. */
const OVER_MOST = 200

/** What the agents of a host said and nobody has acknowledged. Of a run that is over it is on disk. */
export class Ledgers {
  readonly #running = new Map<string, Ledger>()
  readonly #over = new Map<string, Ledger>()

  constructor(
    private readonly parts: { clock: Clock; records: Records; report(sentence: string): void },
    private readonly appended: (ledger: Ledger) => void,
  ) {
    this.restore()
  }

  get all(): Ledger[] {
    return [...this.#over.values(), ...this.#running.values()]
  }

  /** Takes up what earlier hosts put aside. */
  restore(): void {
    const { records, clock } = this.parts
    for (const { run, key, entries } of records.unheard()) {
      if (this.#over.has(run)) continue
      const ledger = Ledger.restored(key, run, entries, clock)
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
    if (!ledger?.empty || !this.#over.delete(run)) return
    this.parts.records.dropUnheard(run)
  }

  /** A run is over: what nobody has acknowledged is put aside. */
  close(ledger: Ledger): void {
    const { run, key } = ledger
    this.#running.delete(run)
    if (ledger.empty) return
    this.#over.set(run, ledger)
    try {
      this.parts.records.keepUnheard({ run, key, entries: [...ledger.after(0)] })
    } catch (thrown) {
      this.parts.report(`what ${key} said last could not be written: ${sentence(thrown)}`)
    }
    for (const old of [...this.#over.keys()].slice(0, -OVER_MOST)) this.#forget(old)
  }

  #forget(run: string): void {
    this.parts.report(`what ${this.#over.get(run)?.key} said last was never taken and is forgotten`)
    this.#over.delete(run)
    this.parts.records.dropUnheard(run)
  }
}
