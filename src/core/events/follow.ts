import type { Recorded } from './event.ts'
import type { EventLog } from './log.ts'

/** A log to follow, under a name of the reader's, from the last event it has seen. */
export interface Source<Name extends string = string> {
  readonly name: Name
  readonly log: EventLog
  readonly after: number
}

/**
 * Events that the reader asked for and does not get; it goes on after `to`. They were removed by retention, or the
 * reader is ahead of the log (which was restored from a backup, say) and goes back to its head.
 */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly reason: 'removed' | 'ahead'
}

export type Followed<Name extends string = string> =
  | { readonly name: Name; readonly recorded: Recorded; readonly gap?: undefined }
  | { readonly name: Name; readonly gap: Gap; readonly recorded?: undefined }

export interface FollowBounds {
  /** A reader that was up to date and then fell this far behind is ended; it resumes where it was. */
  lag?: number
  /** How many events are read at once. */
  page?: number
}

interface Following<Name extends string> extends Source<Name> {
  at: number
  live: boolean
}

/**
 * What is in the logs after each source's point, then what is recorded, in order for each log, none twice, each as
 * `show` makes it. Nothing is queued for a reader: the logs share their newest events, and older ones are rows.
 * It ends when the signal aborts or when the reader lags.
 */
export async function* follow<Name extends string, Shown>(
  sources: readonly Source<Name>[],
  show: (followed: Followed<Name>) => Shown,
  signal: AbortSignal,
  { lag = 4096, page = 256 }: FollowBounds = {},
): AsyncGenerator<Shown, void, void> {
  const followed = sources.map((source): Following<Name> => ({ ...source, at: source.after, live: false }))
  let news = Promise.withResolvers<void>()
  const wake = () => news.resolve()
  const stops = sources.map(({ log }) => log.listen(wake))
  signal.addEventListener('abort', wake)
  try {
    while (!signal.aborted) {
      news = Promise.withResolvers()
      for (const source of followed) {
        if (source.live && source.log.head - source.at > lag) return
        for (const one of next(source, page)) {
          yield show(one)
          if (signal.aborted) return
        }
      }
      if (followed.every(({ log, at }) => log.head === at) && !signal.aborted) await news.promise
    }
  } finally {
    for (const stop of stops) stop()
    signal.removeEventListener('abort', wake)
  }
}

/** The next page of one source, with the gap before it if there is one; moves the source along. */
function* next<Name extends string>(source: Following<Name>, page: number): Generator<Followed<Name>> {
  const { name, log, at } = source
  if (at > log.head) {
    source.at = log.head
    yield { name, gap: { from: at, to: log.head, reason: 'ahead' } }
  } else if (at < log.head) {
    const events = log.after(at, page)
    const until = (events[0]?.seq ?? log.head + 1) - 1
    source.at = until
    if (until > at) yield { name, gap: { from: at, to: until, reason: 'removed' } }
    for (const recorded of events) {
      source.at = recorded.seq
      yield { name, recorded }
    }
  }
  source.live ||= source.at === log.head
}
