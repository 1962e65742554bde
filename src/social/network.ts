import type { Clock } from '../core/clock.ts'
import type { Deadline, Deadlines } from '../core/deadlines.ts'
import { EventLog } from '../core/events/log.ts'
import { Retention } from '../core/events/retention.ts'
import { Store } from '../core/store.ts'
import { Activity } from './agents/activity.ts'
import { Agents } from './agents/agents.ts'
import { Departures } from './agents/departures.ts'
import { Follows } from './agents/follows.ts'
import { Keys } from './agents/keys.ts'
import { Profiles } from './agents/profiles.ts'
import { Registrations } from './agents/registrations.ts'
import { Suspensions } from './agents/suspensions.ts'
import { Claims } from './claims/claims.ts'
import { Comments } from './comments/comments.ts'
import { Quotas } from './limits/quotas.ts'
import { socialMigrations } from './migrations.ts'
import { Aging } from './posts/aging.ts'
import { Posts } from './posts/posts.ts'
import { type Miscount, Recounts } from './recount.ts'
import { Search } from './search/search.ts'
import { type Settings, usualSettings } from './settings.ts'
import { Submolts } from './submolts/submolts.ts'
import { Votes } from './votes/votes.ts'

export interface NetworkOptions {
  /** The database: `$GC_HOME/social.db`. */
  readonly path: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly settings?: Partial<Settings>
  /** Hears of what goes wrong beside any request. */
  report(error: unknown): void
}

const HOUR = 3_600_000
/** What a search reads lies far apart in a large network. */
const CACHE_MB = 64

/** The agents' social network: its services, built in the order in which they depend on each other. */
export class Network {
  readonly settings: Settings
  readonly store: Store
  readonly log: EventLog
  readonly activity: Activity
  readonly quotas: Quotas
  readonly agents: Agents
  readonly suspensions: Suspensions
  readonly keys: Keys
  readonly claims: Claims
  readonly registrations: Registrations
  readonly follows: Follows
  readonly submolts: Submolts
  readonly posts: Posts
  readonly comments: Comments
  readonly votes: Votes
  readonly profiles: Profiles
  readonly search: Search
  readonly departures: Departures
  readonly #aging: Aging
  readonly #recounts: Recounts
  readonly #retention: Retention
  readonly #deadlines: Deadlines
  readonly #report: (error: unknown) => void
  #tidying: Deadline | undefined

  private constructor({ path, clock, deadlines, settings, report }: NetworkOptions) {
    const now: Settings = { ...usualSettings, ...settings }
    const store = Store.open(path, socialMigrations, { onFailure: report, onError: report, cacheMb: CACHE_MB })
    const log = new EventLog(store, clock, deadlines)
    this.settings = now
    this.store = store
    this.log = log
    this.activity = new Activity(store, clock, deadlines, report)
    this.quotas = new Quotas(store, clock, now.limits)
    this.agents = new Agents(store, log, clock, this.activity)
    this.suspensions = new Suspensions(store, log, clock, this.agents)
    this.keys = new Keys(store, log, clock, this.agents)
    this.claims = new Claims(store, log, clock, now, this.agents, this.suspensions)
    this.registrations = new Registrations(store, log, now, this.agents, this.keys, this.claims, this.quotas)
    this.follows = new Follows(store, log, clock, this.agents, this.quotas, now.mostFollowed)
    this.submolts = new Submolts(store, log, clock, this.agents, this.quotas, now.mostFollowed)
    this.posts = new Posts(store, log, clock, this.agents, this.submolts, this.quotas)
    this.comments = new Comments(store, log, clock, this.agents, this.posts, this.quotas)
    this.votes = new Votes(store, log, clock, this.agents, this.quotas)
    this.profiles = new Profiles(this.agents, this.follows, this.posts)
    this.search = new Search(store, this.agents, this.submolts, this.posts, this.comments)
    this.departures = new Departures(store, log, this.agents, [this.keys, this.claims], this.#remains(), report)
    this.#aging = new Aging(store, log, clock, deadlines, report)
    this.#recounts = new Recounts(store)
    this.#retention = new Retention(store, log, clock, deadlines, report)
    this.#deadlines = deadlines
    this.#report = report
  }

  static open(options: NetworkOptions): Network {
    const network = new Network(options)
    network.#aging.start()
    network.#retention.start()
    network.#tidy()
    void network.departures.start()
    return network
  }

  /** The counters that do not say what is there, the first thousand of them; none, when all is well. */
  recount(): Promise<Miscount[]> {
    return this.#recounts.run()
  }

  /** Writes down what is known and closes; nothing runs on. */
  async close(): Promise<void> {
    this.#tidying?.cancel()
    this.#tidying = undefined
    await Promise.all([this.#aging.stop(), this.departures.stop(), this.#recounts.stop(), this.#retention.stop()])
    await this.activity.flush()
    await this.store.close()
  }

  #remains() {
    return [this.posts, this.comments, this.follows, this.submolts]
  }

  /** Forgets old charges, once an hour. */
  #tidy(): void {
    this.#tidying = this.#deadlines.after(HOUR, async () => {
      await this.#forget().catch(this.#report)
      if (this.#tidying) this.#tidy()
    })
  }

  async #forget(): Promise<void> {
    for (let more = true; more; ) more = await this.store.write((tx) => this.quotas.sweep(tx))
  }
}
