import { asNumber, asObject } from '../entries/json.ts'

/** What an agent says that its conversation cost so far, divided into what each turn cost. */
export class SessionCost {
  #total: number | undefined
  #counted: number | undefined

  /** Reads the total out of a report of the agent; only dollars count. */
  read(cost: unknown): void {
    const { amount, currency } = asObject(cost)
    const dollars = asNumber(amount)
    if (dollars !== undefined && dollars >= 0 && currency === 'USD') this.#total = dollars
  }

  /** A turn begins: what was reported before the first one is of earlier runs. */
  begin(): void {
    this.#counted ??= this.#total ?? 0
  }

  /** What was added since the last turn that was counted; undefined when the agent does not say. */
  take(): number | undefined {
    const [total, counted = 0] = [this.#total, this.#counted]
    if (total === undefined) return undefined
    this.#counted = total
    return Math.max(0, total - counted)
  }
}
