import type { RecordedEvent } from './event.ts'

const MAX_EVENTS = 1024
const MAX_CHARACTERS = 1024 * 1024

/** The newest events of a log as they were published, so that those who follow it live share them. */
export class RecentEvents {
  #events: RecordedEvent[] = []
  #sizes: number[] = []
  #size = 0

  add(recorded: RecordedEvent, size: number): void {
    const last = this.#events.at(-1)
    if (last && last.seq + 1 !== recorded.seq) this.#drop(this.#events.length)
    this.#events.push(recorded)
    this.#sizes.push(size)
    this.#size += size
    if (this.#events.length < 2 * MAX_EVENTS && this.#size < 2 * MAX_CHARACTERS) return
    let excess = Math.max(0, this.#events.length - MAX_EVENTS)
    let left = this.#size
    for (const [at, one] of this.#sizes.entries()) {
      if (at >= excess && left <= MAX_CHARACTERS) break
      left -= one
      excess = Math.max(excess, at + 1)
    }
    this.#drop(excess)
  }

  /** Events after `seq`, oldest first; undefined when some of them are not here any more. */
  after(seq: number, limit: number): RecordedEvent[] | undefined {
    const first = this.#events[0]
    if (!first || seq + 1 < first.seq) return undefined
    const from = seq + 1 - first.seq
    return this.#events.slice(from, from + limit)
  }

  #drop(count: number): void {
    this.#events.splice(0, count)
    for (const size of this.#sizes.splice(0, count)) this.#size -= size
  }
}
