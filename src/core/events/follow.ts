import type { PullSource } from '../pull-source.ts'
import type { RecordedEvent } from './event.ts'
import type { EventLog } from './log.ts'

/** A log to follow, under a name of the reader's, from the last event it has seen. */
export interface LogSource<Name extends string = string> {
  readonly name: Name
  readonly log: EventLog
  readonly after: number
}

/**
 * Events that the reader asked for and does not get; it continues after `to`. They were removed by retention, or the
 * reader is ahead of the log (which was restored from a backup, say) and goes back to its head.
 */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly reason: 'removed' | 'ahead'
}

export type FollowedEvent<Name extends string = string> =
  | { readonly name: Name; readonly event: RecordedEvent; readonly gap?: undefined }
  | { readonly name: Name; readonly gap: Gap; readonly event?: undefined }

/** The logs to follow, and how to learn that they changed. */
export interface LogSources<Name extends string = string> {
  now(): readonly LogSource<Name>[]
  /** Calls back on each change; returns how to unsubscribe. */
  listen?(changed: () => void): () => void
}

export interface FollowLimits {
  /** A reader that was up to date and then fell this far behind is ended; it resumes where it was. */
  lag?: number
  /** Number of events that are read together. */
  page?: number
}

/**
 * Events of the logs after each source's point, then new ones, in order for each log and without repetition, as `show`
 * formats them. Nothing is queued for a reader: the logs share their newest events, and older ones are rows. It is over
 * when the reader lags, and when the logs are closed where no others may take their place.
 */
export class Follower<Name extends string, Shown> implements PullSource<Shown> {
  isDone = false
  readonly #bounds: Required<FollowLimits>
  #places: LogPosition<Name>[]
  #turn = 0
  #stops: (() => void)[] = []
  #stopChanges: (() => void) | undefined

  constructor(
    private readonly sources: LogSources<Name>,
    private readonly show: (followed: FollowedEvent<Name>) => Shown,
    { lag = 4096, page = 256 }: FollowLimits = {},
  ) {
    this.#bounds = { lag, page }
    this.#places = sources.now().map((source) => new LogPosition(source))
  }

  /** The next event; from each log a page in its turn. */
  take(): Shown | undefined {
    if (this.isDone) return undefined
    const followed = this.#places[this.#turn]?.next() ?? this.#begin()
    return followed && this.show(followed)
  }

  onReady(onReady: () => void): void {
    this.#subscribe(onReady)
    this.#stopChanges = this.sources.listen?.(() => {
      this.#places = this.sources.now().map((source) => new LogPosition(source))
      this.#turn = 0
      this.#subscribe(onReady)
      onReady()
    })
  }

  close(): void {
    this.isDone = true
    this.#stopChanges?.()
    for (const stop of this.#stops) stop()
  }

  /** Goes around the logs once, to the first that has a page. */
  #begin(): FollowedEvent<Name> | undefined {
    const { lag, page } = this.#bounds
    for (const _ of this.#places) {
      this.#turn = (this.#turn + 1) % this.#places.length
      const place = this.#places[this.#turn]
      if (place?.lags(lag)) this.close()
      if (this.isDone) return undefined
      const first = place?.begin(page)
      if (first) return first
    }
    if (!this.sources.listen && this.#places.every(({ source }) => source.log.isClosed)) this.close()
    return undefined
  }

  #subscribe(onReady: () => void): void {
    for (const stop of this.#stops) stop()
    this.#stops = this.#places.flatMap(({ source: { log } }) => [log.subscribe(onReady), log.onClose(onReady)])
  }
}

/** Position of a reader in one log, with its current page. */
class LogPosition<Name extends string> {
  #at: number
  #live = false
  #page: readonly RecordedEvent[] = []
  #index = 0

  constructor(readonly source: LogSource<Name>) {
    this.#at = source.after
  }

  lags(most: number): boolean {
    return this.#live && this.source.log.head - this.#at > most
  }

  /** The next of the page; undefined at its end. */
  next(): FollowedEvent<Name> | undefined {
    const recorded = this.#page[this.#index]
    if (!recorded) return undefined
    this.#index++
    this.#at = recorded.seq
    return { name: this.source.name, event: recorded }
  }

  /** Reads a page and gives what is first of it, or the gap before it; undefined when the reader has all there is. */
  begin(most: number): FollowedEvent<Name> | undefined {
    const { head } = this.source.log
    if (this.#at > head) return this.#skip(head, 'ahead')
    this.#live ||= this.#at === head
    if (this.#at === head) return undefined
    this.#page = this.source.log.after(this.#at, most)
    this.#index = 0
    const before = (this.#page[0]?.seq ?? head + 1) - 1
    return before > this.#at ? this.#skip(before, 'removed') : this.next()
  }

  #skip(to: number, reason: Gap['reason']): FollowedEvent<Name> {
    const from = this.#at
    this.#at = to
    return { name: this.source.name, gap: { from, to, reason } }
  }
}
