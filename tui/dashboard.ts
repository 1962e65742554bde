import type { Machine } from '../client/views/index.ts'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { Feed } from './data/feed.ts'
import type { FeedOptions } from './data/feed-options.ts'
import { Finder } from './data/finder.ts'
import { perform, type Surface } from './data/perform.ts'
import { Pulse } from './data/pulse.ts'
import { TabFeeds } from './data/tab-feeds.ts'
import { Waits } from './data/waits.ts'
import { areasOf } from './state/layout.ts'
import { type Message, step } from './state/reducer.ts'
import { here, type State, viewKey, viewOf } from './state/state.ts'

export interface DashboardOptions {
  readonly client: Client
  readonly machine: Machine
  readonly timers: Timers
  now(): number
}

/** Renderer of the dashboard. */
export interface View extends Surface {
  /** The state has changed. */
  changed(state: State): void
}

/** The dashboard without its looks: one reducer over what the person does and what the server sends. */
export class Dashboard implements Disposable {
  #state: State
  #feed: Feed | undefined
  #tick = { cancel: () => {} }
  readonly #finder: Finder
  readonly #tabFeeds: TabFeeds
  readonly #pulse: Pulse
  readonly #waits: Waits
  #happened = 0

  constructor(
    private readonly options: DashboardOptions,
    initial: State,
    private readonly view: View,
  ) {
    this.#state = initial
    this.#waits = new Waits(options.now)
    this.#finder = new Finder({ ...options, dispatch: this.dispatch })
    this.#tabFeeds = new TabFeeds(this.#feedOptions)
    this.#pulse = new Pulse({ ...options, dispatch: this.dispatch })
  }

  get state(): State {
    return this.#state
  }

  /** Begins to read the server, and to count the ages of what is shown. */
  start(): void {
    this.#follow()
    this.#readCities()
    this.#scheduleTick()
  }

  readonly dispatch = (message: Message): void => {
    const before = this.#state
    const [next, effect] = step(before, message)
    this.#state = next
    if (next !== before) this.view.changed(next)
    if (this.#feed && viewKey(here(next)) !== viewKey(here(before))) this.#follow()
    if (next !== before) this.#feed?.show(areasOf(next))
    if (!effect) return
    const { client, machine, timers } = this.options
    const readers = { feed: this.#feed, finder: this.#finder, waits: this.#waits }
    perform(effect, { client, machine, timers, ...readers, surface: this.view, dispatch: this.dispatch })
  };

  [Symbol.dispose](): void {
    this.#tick.cancel()
    this.#finder.close()
    this.#pulse.close()
    this.#feed?.close()
    this.#tabFeeds.follow([])
  }

  get #feedOptions(): FeedOptions {
    return {
      ...this.options,
      waits: this.#waits,
      dispatch: this.dispatch,
      viewOf: (location) => viewOf(this.#state, location),
      happened: () => {
        this.#happened++
      },
    }
  }

  /** Reads what the page shows, and follows it; of the other cities that are open, what waits for a person. */
  #follow(): void {
    this.#feed?.close()
    const shown = here(this.#state)
    this.#feed = new Feed(this.#feedOptions, shown)
    this.#feed.start()
    this.#pulse.follow(shown.city)
    this.#tabFeeds.follow(this.#state.tabs.map(({ city }) => city).filter((city) => city !== shown.city))
  }

  /** Reads the names of the cities once, for `:city`; the page of cities shows whatever keeps them from being read. */
  #readCities(): void {
    this.options.client.call('GET /v0/cities').then(
      ({ items }) => this.dispatch({ type: 'cities', names: (items ?? []).map(({ name }) => name) }),
      () => {},
    )
  }

  /** Updates the shown ages every second. */
  #scheduleTick(): void {
    this.#tick = this.options.timers.after(1000, () => {
      const happened = this.#happened
      this.#happened = 0
      this.dispatch({ type: 'tick', now: this.options.now(), unanswered: this.#waits.since, happened })
      this.#scheduleTick()
    })
  }
}
