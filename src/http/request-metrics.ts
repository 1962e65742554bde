import type { Sample } from '../core/metrics/index.ts'

/** Counts the responses to one kind of request. */
export type CountResponse = (status: number) => void

/** Responses of one area of the document with one method, by the first digit of their status. */
interface ResponseCounts {
  readonly area: string
  readonly method: string
  readonly byClass: Map<number, number>
}

/** Counts the requests of a plane by area, method and class of status, and the streams that are open. */
export class RequestMetrics {
  readonly #counts = new Map<string, ResponseCounts>()
  #streams = 0

  /** Number of clients that follow server-sent events. */
  get streams(): number {
    return this.#streams
  }

  /** Counts a stream that begins; call what it returns once it is over. */
  beginStream(): () => void {
    this.#streams++
    return () => void this.#streams--
  }

  counter(area: string, method: string): CountResponse {
    const key = `${method} ${area}`
    const counts = this.#counts.get(key) ?? { area, method, byClass: new Map() }
    this.#counts.set(key, counts)
    const { byClass } = counts
    return (status) => {
      const digit = Math.floor(status / 100)
      byClass.set(digit, (byClass.get(digit) ?? 0) + 1)
    }
  }

  samples(): Sample[] {
    return [...this.#counts.values()].flatMap(({ area, method, byClass }) =>
      Array.from(byClass, ([digit, value]) => ({ labels: { area, method, status: `${digit}xx` }, value })),
    )
  }
}
