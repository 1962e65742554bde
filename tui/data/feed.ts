import { type Location, type PageEvent, pageOf, type TextPage } from '../../client/views/index.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { FollowOptions } from '../../src/client/follow.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import type { Area } from '../state/layout.ts'
import { locationsRead } from '../state/navigation.ts'
import { viewKey } from '../state/state.ts'
import { errorMessage } from './errors.ts'
import { type FeedOptions, reachOf } from './feed-options.ts'
import { Refresh } from './refresh.ts'
import { TableFeed } from './table-feed.ts'

/** A read that found no supervisor is tried again, as the stream is. */
const RETRY_MS = 2_000

/** Delay before details load, so that passing over a row loads none. */
const STAY_MS = 60
const STAY_FOR_PREVIEW_MS = 200

interface Reader {
  readonly location: Location
  readonly refresh: Refresh
}

/** Keeps what a page shows up to date until it is closed: reads the server, and again after every event that matters. */
export class Feed {
  readonly #tables = new Map<string, TableFeed>()
  readonly #ended = new AbortController()
  readonly #readers: readonly Reader[]
  #detail: Reader | undefined
  #detailKey: string | undefined
  #detailEnded = new AbortController()
  #detailAt = { cancel: () => {} }

  private readonly options: FeedOptions

  constructor(
    options: FeedOptions,
    private readonly location: Location,
  ) {
    this.options = { ...options, reread: (each) => this.#readerAt(each)?.refresh.soon() }
    this.#readers = locationsRead(location).map((each) => this.#readerOf(each))
  }

  /** Reads, and follows the events of the city, or of the supervisor, until it is closed. */
  start(): void {
    this.#run(this.location, () => this.#followEvents())
    for (const { location, refresh } of this.#readers) {
      const page = pageOf(location)
      if (page.kind === 'text' && page.follow) this.#run(location, () => this.#followText(location, page))
      if (page.rereadsMs !== undefined) this.#reread(page.rereadsMs, refresh)
    }
  }

  close(): void {
    this.#ended.abort()
    this.#detailEnded.abort()
    this.#detailAt.cancel()
  }

  /** Reads what is shown of the selected row as well, once the person stays on that row. */
  show(areas: readonly Area[]): void {
    const area = areas.find(({ location, isPreview }) => isPreview || location.at !== undefined)
    const isRead = this.#readers.some(({ location }) => viewKey(location) === (area && viewKey(area.location)))
    const key = area && !isRead ? viewKey(area.location) : undefined
    if (key === this.#detailKey) return
    this.#detailKey = key
    this.#detailAt.cancel()
    const stay = area?.isPreview ? STAY_FOR_PREVIEW_MS : STAY_MS
    this.#detailAt = this.options.timers.after(stay, () => this.#readDetail(key === undefined ? undefined : area))
  }

  /** Reads and follows what is shown of a row, in place of what was shown of another. */
  #readDetail(area: Area | undefined): void {
    this.#detailEnded.abort()
    if (this.#detail) this.#tables.delete(viewKey(this.#detail.location))
    this.#detail = undefined
    if (!area) return
    this.#detailEnded = new AbortController()
    const { signal } = this.#detailEnded
    const { location } = area
    this.#detail = this.#readerOf(location, AbortSignal.any([this.#ended.signal, signal]))
    this.#detail.refresh.soon()
    const page = pageOf(location)
    if (page.kind !== 'text' || !page.follow) return
    this.#run(location, () => this.#followText(location, page, signal), signal)
  }

  more(location: Location): void {
    this.#run(location, async () =>
      this.options.waits.for(this.#tables.get(viewKey(location))?.more() ?? Promise.resolve()),
    )
  }

  /** Reads a table again, for another order or filter; once for what is typed in one go. */
  reload(location: Location): void {
    this.#tables.get(viewKey(location))?.forget()
    this.#readerAt(location)?.refresh.soon()
  }

  #readerAt(location: Location): Reader | undefined {
    return this.#all.find((reader) => viewKey(reader.location) === viewKey(location))
  }

  /** Reads all of it again that no event keeps up to date, such as after an action. */
  refresh(): void {
    this.#read(true)
  }

  /** Reads what is not held; while events come, without what they keep up to date. */
  #read(isConnected: boolean): void {
    for (const { location, refresh } of this.#all) {
      const isLive = isConnected && this.#tables.get(viewKey(location))?.isLive
      if (!isLive && this.options.viewOf(location).missed === undefined) refresh.soon()
    }
  }

  get #all(): readonly Reader[] {
    return this.#detail ? [...this.#readers, this.#detail] : this.#readers
  }

  #readerOf(location: Location, signal: AbortSignal = this.#ended.signal): Reader {
    const page = pageOf(location)
    const read = page.kind === 'table' ? this.#tableReader(location, signal) : this.#textReader(location, signal)
    const attempt = async () => {
      const error = await this.#attempt(location, () => this.options.waits.for(read()), signal)
      if (error !== undefined && !(error instanceof ApiError)) {
        this.options.timers.after(RETRY_MS, () => refresh.changed())
      }
    }
    const refresh = new Refresh(this.options.timers, attempt, signal)
    return { location, refresh }
  }

  #tableReader(location: Location, signal: AbortSignal): () => Promise<void> {
    const page = pageOf(location)
    if (page.kind !== 'table') return async () => {}
    const table = new TableFeed(this.options, page, location, signal)
    this.#tables.set(viewKey(location), table)
    return () => table.refresh()
  }

  #textReader(location: Location, signal: AbortSignal): () => Promise<void> {
    const page = pageOf(location)
    if (page.kind !== 'text') return async () => {}
    const { dispatch, now } = this.options
    return async () => {
      const content = await page.load(reachOf(this.options, location, signal))
      if (!signal.aborted) dispatch({ type: 'text', location, content, now: now() })
    }
  }

  /** A city that is stopped, or gone, is looked for until it is there again; the page shows it. */
  async #followEvents(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      try {
        await this.#readEvents()
      } catch (error) {
        if (signal.aborted) return
        for (const { location } of this.#readers) this.#fail(location, error)
        await new Promise<void>((resolve) => this.options.timers.after(RETRY_MS, resolve))
      }
    }
  }

  async #readEvents(): Promise<void> {
    const { client } = this.options
    const { city } = this.location
    const following = this.#following((isConnected) => this.#read(isConnected))
    if (city === '') {
      for await (const { data } of client.follow('GET /v0/events/stream', {}, following)) this.#refreshFor(data)
      return
    }
    for await (const frame of client.city(city).follow('GET ~/events/stream', {}, following)) {
      if (frame.event === 'event') this.#refreshFor(frame.data, frame.data)
      else this.#afterGap()
    }
  }

  /** Events that did not come may have changed anything. */
  #afterGap(): void {
    for (const { location } of this.#all) {
      if (this.options.viewOf(location).missed === undefined) this.#tables.get(viewKey(location))?.forget()
    }
    this.refresh()
  }

  /** Updates after an event: views of events take it directly, and all other affected ones are read again. */
  #refreshFor(happened: PageEvent, event?: CityEvent): void {
    this.options.happened()
    for (const { location, refresh } of this.#all) {
      const { filter, missed } = this.options.viewOf(location)
      if (!pageOf(location).isChangedBy(happened, location.subject, filter)) continue
      if (missed !== undefined) this.options.dispatch({ type: 'missed', location })
      else if (!event || !this.#tables.get(viewKey(location))?.take(event)) refresh.changed()
    }
  }

  /** Shows a text as it grows; of one that is shown beside a list, the connection is not that of the page. */
  async #followText(location: Location, page: TextPage, signal?: AbortSignal): Promise<void> {
    const { dispatch, now, timers } = this.options
    await page.follow?.(reachOf(this.options, location, signal ?? this.#ended.signal), {
      show: (lines) => !signal?.aborted && dispatch({ type: 'text', location, content: { lines }, now: now() }),
      following: signal ? { signal, timers } : this.#following(() => {}),
    })
  }

  /** Options for following a stream; on every connect or disconnect the page is read again. */
  #following(onChange: (isConnected: boolean) => void): FollowOptions {
    const { timers, dispatch, now } = this.options
    return {
      signal: this.#ended.signal,
      timers,
      onStateChange: (state) => {
        dispatch({ type: 'connection', live: state === 'connected', now: now() })
        onChange(state === 'connected')
      },
    }
  }

  #reread(ms: number, refresh: Refresh): void {
    const { timers } = this.options
    const again = () => {
      if (this.#ended.signal.aborted) return
      refresh.changed()
      timers.after(ms, again)
    }
    timers.after(ms, again)
  }

  #run(location: Location, task: () => Promise<void>, signal?: AbortSignal): void {
    void this.#attempt(location, task, signal)
  }

  /** Says what went wrong on the page, and returns it. */
  async #attempt(location: Location, task: () => Promise<void>, signal = this.#ended.signal): Promise<unknown> {
    try {
      return await task()
    } catch (error) {
      if (signal.aborted) return undefined
      this.#fail(location, error)
      return error
    }
  }

  #fail(location: Location, error: unknown): void {
    this.options.dispatch({ type: 'failed', location, error: errorMessage(error) })
  }
}
