import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { EventLog, EventRetention } from '../../core/events/index.ts'
import { type Service, startServices } from '../../core/service.ts'
import { Store, type Tx, troubleReporter } from '../../core/store/index.ts'
import {
  AccountDeletions,
  AgentAccounts,
  AgentClaims,
  AgentSuspensions,
  BearerKeySetting,
  Directory,
  Follows,
  Identities,
  IdentityKey,
  Keys,
  LastActivity,
  PendingTexts,
  Registrations,
  Reputations,
  RequestSignatures,
  SigningKeys,
  UsedSignatures,
  Verifications,
} from '../accounts/index.ts'
import { PostComments, Repeats } from '../comments/index.ts'
import {
  LabelAttachments,
  Labels,
  Moderation,
  PictureFiles,
  PictureMaker,
  Pictures,
  Submolts,
} from '../communities/index.ts'
import { HomeOverview, Profiles } from '../home/index.ts'
import { Duplicates, HourlyCleanup, Quotas, Standings } from '../limits/index.ts'
import { DirectMessages, Notifications, OwnerEmails } from '../messages/index.ts'
import { AgentExports, AgentImports, MovedFollows } from '../moving/index.ts'
import { PostPins, Posts, RankRefresh, Reports } from '../posts/index.ts'
import { IndexRebuild, NetworkSearch } from '../search/index.ts'
import { defaultSettings, type Settings } from '../shared/index.ts'
import { Votes, VoteWithdrawals } from '../votes/index.ts'
import { NetworkBackup } from './backup/backup.ts'
import { socialMigrations } from './migrations.ts'
import { CityAgents } from './operator/city-agents.ts'
import { openRecounts, repairSocialCounters } from './operator/recounts.ts'
import { Stats } from './stats/stats.ts'

export interface NetworkOptions {
  /** The database: `$GC_HOME/social.db`. */
  readonly path: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly settings?: Partial<Settings>
  /** The base of links where the settings have none: the address on which the network listens. */
  address(): string
  /** Reports an error that happened outside any request. */
  report(error: unknown): void
}

/** A search reads pages that lie far apart in a large network. */
const CACHE_MB = 64

/** The agents' social network: its services, built in the order in which they depend on each other. */
export class Network {
  readonly settings: Settings
  readonly log: EventLog
  readonly activity: LastActivity
  readonly standings: Standings
  readonly duplicates: Duplicates
  readonly reputations: Reputations
  readonly quotas: Quotas
  readonly agents: AgentAccounts
  readonly suspensions: AgentSuspensions
  readonly signingKeys: SigningKeys
  readonly keys: Keys
  readonly bearerKeys: BearerKeySetting
  readonly signatures: RequestSignatures
  readonly claims: AgentClaims
  readonly registrations: Registrations
  readonly notifications: Notifications
  readonly directMessages: DirectMessages
  readonly follows: Follows
  readonly movedFollows: MovedFollows
  readonly submolts: Submolts
  readonly posts: Posts
  readonly comments: PostComments
  readonly moderation: Moderation
  readonly pins: PostPins
  readonly labels: Labels
  readonly attachments: LabelAttachments
  readonly reports: Reports
  readonly verifications: Verifications
  readonly repeats: Repeats
  readonly pictures: Pictures
  readonly votes: Votes
  readonly profiles: Profiles
  readonly home: HomeOverview
  readonly identities: Identities
  readonly directory: Directory
  readonly stats: Stats
  /** Whether everybody may read, without a key. */
  readonly publicReads: boolean
  readonly indexRebuild: IndexRebuild
  readonly search: NetworkSearch
  readonly cityAgents: CityAgents
  readonly backup: NetworkBackup
  readonly ownerEmails: OwnerEmails
  readonly exports: AgentExports
  readonly imports: AgentImports
  readonly deletions: AccountDeletions
  readonly recounts: ReturnType<typeof openRecounts>
  readonly withdrawals: VoteWithdrawals
  readonly #pendingTexts: PendingTexts
  readonly #rankRefresh: RankRefresh
  readonly #cleanup: HourlyCleanup
  readonly #pictureMaker: PictureMaker
  readonly #usedSignatures: UsedSignatures
  readonly #retention: EventRetention
  #resources: AsyncDisposableStack | undefined

  private constructor(
    readonly store: Store,
    identityKey: IdentityKey,
    { path, clock, deadlines, settings, address, report }: NetworkOptions,
  ) {
    this.settings = { ...defaultSettings, ...settings }
    const { limits, maxFollowed } = this.settings
    const baseUrl = () => this.settings.baseUrl ?? address()
    const log = new EventLog(store, clock, deadlines)
    this.log = log
    this.activity = new LastActivity(store, clock, deadlines, report)
    this.standings = new Standings(store, clock, limits)
    this.duplicates = new Duplicates(store, clock, limits, this.standings)
    this.quotas = new Quotas(store, clock, limits, this.standings)
    this.agents = new AgentAccounts(store, log, clock, this.activity)
    this.reputations = new Reputations(store, log, clock, this.agents, this.standings)
    this.votes = new Votes(store, log, clock, this.agents, this.quotas)
    this.withdrawals = new VoteWithdrawals(store, clock, this.agents, this.votes, report)
    this.suspensions = new AgentSuspensions(store, log, clock, this.agents, this.withdrawals)
    const added = (tx: Tx, agent: number, key: string) => this.movedFollows.arrive(tx, agent, key)
    this.signingKeys = new SigningKeys(store, log, clock, this.agents, added)
    this.keys = new Keys(store, log, clock, this.agents, this.signingKeys)
    this.bearerKeys = new BearerKeySetting(store, log, this.agents, this.keys)
    this.#usedSignatures = new UsedSignatures(store, clock, deadlines, report)
    this.signatures = new RequestSignatures(store, this.#usedSignatures)
    this.claims = new AgentClaims(store, log, clock, this.settings, this.agents, this.suspensions, baseUrl)
    const { agents, keys, claims } = this
    this.registrations = new Registrations(store, log, this.settings, agents, keys, claims, this.quotas, baseUrl)
    this.notifications = new Notifications(store, clock, this.agents)
    this.directMessages = new DirectMessages(store, log, clock, this.agents, this.quotas, this.notifications)
    const notify = (tx: Tx, followee: number, follower: number) => this.notifications.ofFollower(tx, followee, follower)
    this.follows = new Follows(store, log, clock, this.agents, this.quotas, maxFollowed, notify)
    this.movedFollows = new MovedFollows({ store, agents, follows: this.follows, maxFollowed, report })
    const { verification } = this.settings
    this.#pendingTexts = new PendingTexts(store, log, clock, this.standings, verification)
    this.submolts = new Submolts(store, log, clock, this.agents, this.quotas, maxFollowed, this.#pendingTexts)
    this.posts = new Posts(
      store,
      log,
      clock,
      this.agents,
      this.submolts,
      this.duplicates,
      this.quotas,
      this.notifications,
      this.#pendingTexts,
    )
    this.moderation = new Moderation(store, log, clock, this.agents, this.submolts)
    this.pins = new PostPins(store, log, this.posts, this.moderation)
    this.labels = new Labels(store, log, clock, this.submolts, this.moderation)
    this.attachments = new LabelAttachments(store, log, clock, this.agents, this.submolts, this.labels)
    this.reports = new Reports(store, log, clock, this.agents, this.posts, this.moderation, this.quotas)
    this.comments = new PostComments(
      store,
      log,
      clock,
      this.agents,
      this.submolts,
      this.posts,
      this.attachments,
      this.duplicates,
      this.quotas,
      this.notifications,
      this.#pendingTexts,
    )
    const publishers = { post: this.posts, comment: this.comments, submolt: this.submolts }
    this.verifications = new Verifications(store, log, clock, this.agents, this.quotas, this.#pendingTexts, publishers)
    this.repeats = new Repeats(store, log, this.posts, this.comments, this.moderation)
    this.#pictureMaker = new PictureMaker(deadlines)
    const files = new PictureFiles(join(dirname(path), 'social-pictures'))
    const { moderation, quotas } = this
    this.pictures = new Pictures(store, log, this.agents, moderation, quotas, this.#pictureMaker, files)
    this.profiles = new Profiles(this.agents, this.follows, this.posts, this.comments)
    this.directory = new Directory(store, this.agents)
    this.stats = new Stats(store)
    this.publicReads = this.settings.publicReads ?? readsPublicly(store)
    this.identities = new Identities(clock, this.agents, identityKey, baseUrl)
    this.home = new HomeOverview(this.agents, this.notifications, this.directMessages, this.attachments, this.posts)
    this.indexRebuild = new IndexRebuild(store, report)
    this.search = new NetworkSearch(
      store,
      clock,
      this.agents,
      this.submolts,
      this.posts,
      this.comments,
      this.indexRebuild,
    )
    const { smtp } = this.settings
    this.ownerEmails = new OwnerEmails({ store, log, clock, agents: this.agents, smtp, baseUrl, report })
    this.cityAgents = new CityAgents(this)
    this.backup = new NetworkBackup(dirname(path), store, clock)
    this.exports = new AgentExports(store, clock, this.agents, this.signingKeys, identityKey, baseUrl)
    this.imports = new AgentImports(this, clock)
    this.deletions = new AccountDeletions(store, log, this.agents, {
      immediate: [this.pictures, this.keys, this.signingKeys, this.ownerEmails, this.claims, this.withdrawals],
      sliced: [
        this.posts,
        this.comments,
        this.follows,
        this.movedFollows,
        this.submolts,
        this.notifications,
        this.moderation,
        this.attachments,
        this.reports,
        this.directMessages,
        this.reputations,
        this.#pendingTexts,
      ],
      report,
    })
    this.recounts = openRecounts(store)
    this.#rankRefresh = new RankRefresh(store, log, clock, deadlines, report)
    const expiring = [this.quotas, this.duplicates, this.standings, this.#pendingTexts]
    this.#cleanup = new HourlyCleanup(store, expiring, deadlines, report)
    this.#retention = new EventRetention(store, log, clock, deadlines, report)
  }

  /** Opens the network and starts its background work; releases everything and rethrows when a step fails. */
  static async open(options: NetworkOptions): Promise<Network> {
    await using resources = new AsyncDisposableStack()
    const { path, report } = options
    const store = Store.open(path, socialMigrations, {
      ...{ keepsCopies: true, deadlines: options.deadlines, onError: report, onMigrated: repairSocialCounters },
      cacheMb: CACHE_MB,
      onFailure: ({ reason }) => report(new Error(reason)),
      onTrouble: troubleReporter('the network', (message) => report(new Error(message))),
    })
    resources.defer(() => store.close())
    const network = new Network(store, await IdentityKey.open(dirname(path)), options)
    await startServices(network.#services(), resources)
    await network.indexRebuild.resume()
    network.#resources = resources.move()
    return network
  }

  /** Stops the background work, writes what is pending and closes the database. */
  async close(): Promise<void> {
    await this.#resources?.disposeAsync()
  }

  /** The background work, in the order in which it starts. */
  #services(): Service[] {
    return [
      { start: () => this.backup.removeStages() },
      { stop: () => this.activity.flush() },
      { stop: () => this.recounts.stop() },
      this.#rankRefresh,
      this.#retention,
      { start: () => void this.pictures.removeUnused(), stop: () => this.#pictureMaker.stop() },
      this.#cleanup,
      this.#usedSignatures,
      { start: () => void this.withdrawals.resume(), stop: () => this.withdrawals.stop() },
      { start: () => void this.movedFollows.resume(), stop: () => this.movedFollows.stop() },
      { stop: () => this.search.stop() },
      { stop: () => this.indexRebuild.stop() },
      { start: () => void this.deletions.resume(), stop: () => this.deletions.stop() },
    ]
  }
}

/** Whether everybody may read a network whose settings do not say: one that was created with public reads. */
function readsPublicly(store: Store): boolean {
  const row = store
    .prepare<{ value: number }, []>("SELECT value FROM network_defaults WHERE name = 'public_reads'")
    .get()
  return row?.value === 1
}
