import { type Actor, GC } from '../actor.ts'
import { AppError } from '../errors.ts'
import { type CounterCheck, type Miscount, toMiscount, toRepair, type WrongRow } from './counter-check.ts'
import type { ReadRows } from './files.ts'
import { type Command, command } from './statement.ts'
import type { Store, Tx } from './store.ts'

/** Rows that one query checks. */
const SLICE = 5_000
/** Values that one write corrects. */
const REPAIRED_AT_ONCE = 50
const MAX_MISCOUNTS = 1_000

interface RecountOptions {
  /** Calls `correct` in the write of a repair, with whatever else the repair needs; absent: nothing else. */
  apply?(tx: Tx, miscount: Miscount, correct: () => void): void
  /** The sentence of the error when the store closes. */
  closing: string
}

type OnWrong = (check: CounterCheck, rows: readonly WrongRow[]) => Promise<void>

/** Compares the counters of a store with what they count: off the event loop, and one run at a time. */
export class Recounts {
  readonly #repairs = new Map<CounterCheck, Command<[string]>>()
  #checking: Promise<Miscount[]> | undefined
  #repairing: Promise<Miscount[]> | undefined
  #stopped = false

  constructor(
    private readonly store: Store,
    private readonly checks: readonly CounterCheck[],
    private readonly options: RecountOptions,
  ) {}

  /** The wrong counters, at most a thousand. */
  run(): Promise<Miscount[]> {
    this.#checking ??= this.#find(async () => {}).finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Corrects the wrong counters, at most a thousand; returns what was wrong. */
  repair(actor: Actor = GC): Promise<Miscount[]> {
    this.#repairing ??= this.#find((check, rows) => this.#repair(actor, check, rows)).finally(() => {
      this.#repairing = undefined
    })
    return this.#repairing
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.allSettled([this.#checking, this.#repairing])
  }

  #find(onWrong: OnWrong): Promise<Miscount[]> {
    return this.store.files.readInWorker(async (query) => {
      const wrong: Miscount[] = []
      for (const check of this.checks) {
        for await (const rows of this.#wrongRows(query, check, MAX_MISCOUNTS - wrong.length)) {
          await onWrong(check, rows)
          wrong.push(...rows.map((row) => toMiscount(check, row)))
        }
      }
      return wrong
    })
  }

  /** Findings of a check, up to `max` rows. */
  async *#wrongRows(query: ReadRows, { sliced, wrong }: CounterCheck, max: number): AsyncGenerator<WrongRow[]> {
    if (max <= 0) return
    this.#assertOpen()
    if (sliced === undefined) return yield await query<WrongRow>(`${wrong} LIMIT ${max}`)
    const [end] = await query<{ n: number | null }>(`SELECT max(n) AS n FROM ${sliced}`)
    let left = max
    for (let from = 0; from < (end?.n ?? 0) && left > 0; from += SLICE) {
      this.#assertOpen()
      const rows = await query<WrongRow>(`${wrong} LIMIT ${left}`, from, from + SLICE)
      left -= rows.length
      yield rows
    }
  }

  async #repair(actor: Actor, check: CounterCheck, rows: readonly WrongRow[]): Promise<void> {
    for (let start = 0; start < rows.length; start += REPAIRED_AT_ONCE) {
      this.#assertOpen()
      const some = rows.slice(start, start + REPAIRED_AT_ONCE)
      await this.store.write((tx) => {
        for (const row of some) this.#apply(tx, check, row)
      }, actor)
    }
  }

  #apply(tx: Tx, check: CounterCheck, row: WrongRow): void {
    const correct = () => void tx.run(this.#repairOf(check), toRepair(row))
    const { apply } = this.options
    if (apply) apply(tx, toMiscount(check, row), correct)
    else correct()
  }

  #repairOf(check: CounterCheck): Command<[string]> {
    return this.#repairs.getOrInsertComputed(check, () => command<[string]>(check.repair))
  }

  #assertOpen(): void {
    if (this.#stopped) throw new AppError('store-unavailable', this.options.closing)
  }
}
