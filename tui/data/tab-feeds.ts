import { attentionOf } from '../state/navigation.ts'
import { Feed } from './feed.ts'
import type { FeedOptions } from './feed-options.ts'

/** Reads what waits for a person in the cities of the other tabs. */
export class TabFeeds {
  readonly #feeds = new Map<string, Feed>()
  readonly #options: FeedOptions

  constructor(options: FeedOptions) {
    const dispatch: FeedOptions['dispatch'] = (message) => message.type !== 'connection' && options.dispatch(message)
    this.#options = { ...options, dispatch, happened: () => {} }
  }

  /** Follows these cities, and no others any more. */
  follow(cities: readonly string[]): void {
    for (const city of this.#feeds.keys()) if (!cities.includes(city)) this.#leave(city)
    for (const city of cities) if (!this.#feeds.has(city)) this.#enter(city)
  }

  #enter(city: string): void {
    const feed = new Feed(this.#options, attentionOf(city))
    this.#feeds.set(city, feed)
    feed.start()
  }

  #leave(city: string): void {
    this.#feeds.get(city)?.close()
    this.#feeds.delete(city)
  }
}
