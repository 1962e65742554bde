import type { Deadline, Deadlines } from '../../../core/deadlines.ts'
import type { LogHandle } from '../logs/program-logs.ts'
import { SharedLog } from '../logs/shared-log.ts'

interface Lent {
  readonly name: string
  readonly log: SharedLog
  readers: number
  rest: Deadline | undefined
}

/** So much of a log is read for whoever wants to see it: the newest part, when there is more. */
const BOUNDS = { windowBytes: 16 * 1024 * 1024, keepBytes: 16 * 1024 * 1024, skipsToEnd: true }
/** A log that nobody reads is kept open so long, since whoever reads one page often reads the next. */
const REST_MS = 30_000
/** At most so many logs that nobody reads are kept. */
const RESTING = 4

/** Whole logs, open while someone reads them. */
export class Shelf {
  readonly #lent = new Map<string, Lent>()

  constructor(private readonly deadlines: Deadlines) {}

  /** A log to read, and how to give it back. */
  borrow(found: LogHandle): { log: SharedLog; giveBack: () => void } {
    const name = `${found.path}\0${found.key}`
    const lent = this.#lent.get(name) ?? this.#open(name, found)
    lent.readers++
    lent.rest?.cancel()
    lent.rest = undefined
    let given = false
    const giveBack = () => {
      if (given) return
      given = true
      lent.readers--
      if (lent.readers === 0) this.#rest(lent)
    }
    return { log: lent.log, giveBack }
  }

  close(): void {
    for (const lent of this.#lent.values()) this.#drop(lent)
  }

  #open(name: string, found: LogHandle): Lent {
    const lent = { name, log: new SharedLog(found.open(BOUNDS)), readers: 0, rest: undefined }
    this.#lent.set(name, lent)
    return lent
  }

  /** Of several that rest, those that were opened first go. */
  #rest(lent: Lent): void {
    lent.rest = this.deadlines.after(REST_MS, () => this.#drop(lent))
    const resting = [...this.#lent.values()].filter(({ readers }) => readers === 0)
    for (const one of resting.slice(0, Math.max(0, resting.length - RESTING))) this.#drop(one)
  }

  #drop(lent: Lent): void {
    lent.rest?.cancel()
    this.#lent.delete(lent.name)
    void lent.log.close()
  }
}
