import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { EventLog, EventRetention } from '../../core/events/index.ts'
import { type Service, startServices } from '../../core/service.ts'
import { query, Store, type Tx, troubleReporter } from '../../core/store/index.ts'
import {
  AccountDeletions,
  type Activity,
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
  PictureMaker,
  Pictures,
  pictureFiles,
  Submolts,
} from '../communities/index.ts'
import { HomeOverview, Profiles } from '../home/index.ts'
import { Duplicates, HourlyCleanup, Quotas, Standings } from '../limits/index.ts'
import { DirectMessages, Notifications, OwnerEmails } from '../messages/index.ts'
import { AgentExports, AgentImports, MovedFollows } from '../moving/index.ts'
import { PostPins, Posts, RankRefresh, Reports } from '../posts/index.ts'
import { IndexMerges, IndexRebuild, NetworkSearch } from '../search/index.ts'
import { defaultSettings, type Settings } from '../shared/index.ts'
import { Votes, VoteWithdrawals } from '../votes/index.ts'
import { NetworkBackup } from './backup/backup.ts'
import { NetworkEpoch } from './epoch.ts'
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

/** The same for a process that only reads. */
const READER_CACHE_MB = 8

/** Additional options of a read-only process. */
export interface ReaderOptions extends NetworkOptions {
  /** Passes the activity of agents to the process that writes. */
  passActivity(activity: Activity): void
}

/** The parts that services share. */
function networkBase(store: Store, identityKey: IdentityKey, options: NetworkOptions | ReaderOptions) {
  const { path, clock, deadlines, settings: given, address, report } = options
  const settings: Settings = { ...defaultSettings, ...given }
  const baseUrl = () => settings.baseUrl ?? address()
  const log = new EventLog(store, clock, deadlines)
  const passActivity = 'passActivity' in options ? options.passActivity : undefined
  /** A number that differs once something has changed. */
  const changes = passActivity ? changesOf(store) : () => log.head
  const shared = { store, identityKey, folder: dirname(path), clock, deadlines, settings, baseUrl, log, report }
  return { ...shared, passActivity, changes }
}

const DATA_VERSION = query<{ data_version: number }>('PRAGMA data_version')

/** A number that differs once another connection has committed. */
const changesOf = (store: Store) => (): number => store.get(DATA_VERSION)?.data_version ?? 0

type NetworkBase = ReturnType<typeof networkBase>

/** Accounts: their limits, keys and owners, and what one account sends to another or follows. */
function accountServices(ctx: NetworkBase) {
  const { store, settings, report } = ctx
  const { limits, maxFollowed } = settings
  const activity = new LastActivity(ctx, ctx.passActivity)
  const standings = new Standings(ctx, limits)
  const duplicates = new Duplicates(ctx, limits, standings)
  const quotas = new Quotas(ctx, limits, standings)
  const agents = new AgentAccounts(ctx, activity)
  const reputations = new Reputations(ctx, agents, standings)
  const votes = new Votes(ctx, agents, quotas)
  const withdrawals = new VoteWithdrawals(ctx, agents, votes)
  const suspensions = new AgentSuspensions(ctx, agents, withdrawals)
  const added = (tx: Tx, agent: number, key: string) => movedFollows.arrive(tx, agent, key)
  const signingKeys = new SigningKeys(ctx, agents, added)
  const keys = new Keys(ctx, agents, signingKeys)
  const bearerKeys = new BearerKeySetting(ctx, agents, keys)
  const usedSignatures = new UsedSignatures(ctx)
  const signatures = new RequestSignatures(store, usedSignatures)
  const claims = new AgentClaims(ctx, agents, suspensions)
  const registrations = new Registrations(ctx, { agents, keys, claims, quotas })
  const notifications = new Notifications(ctx, agents)
  const directMessages = new DirectMessages(ctx, agents, quotas, notifications)
  const notify = (tx: Tx, followee: number, follower: number) => notifications.ofFollower(tx, followee, follower)
  const follows = new Follows(ctx, { agents, quotas, maxFollowed, notify })
  const movedFollows = new MovedFollows({ store, agents, follows, maxFollowed, report })
  return {
    activity,
    standings,
    duplicates,
    quotas,
    agents,
    reputations,
    votes,
    withdrawals,
    suspensions,
    signingKeys,
    keys,
    bearerKeys,
    usedSignatures,
    signatures,
    claims,
    registrations,
    notifications,
    directMessages,
    follows,
    movedFollows,
  }
}

type AccountServices = Omit<ReturnType<typeof accountServices>, 'usedSignatures'>

/** Posts, comments and the communities that hold them. */
function contentServices(ctx: NetworkBase, { agents, standings, duplicates, quotas, notifications }: AccountServices) {
  const { settings } = ctx
  const { maxFollowed, verification } = settings
  const pendingTexts = new PendingTexts(ctx, standings, verification)
  const submolts = new Submolts(ctx, { agents, quotas, maxSubscriptions: maxFollowed, pending: pendingTexts })
  const posts = new Posts(ctx, { agents, submolts, duplicates, quotas, notifications, pending: pendingTexts })
  const moderation = new Moderation(ctx, agents, submolts)
  const pins = new PostPins(ctx, posts, moderation)
  const labels = new Labels(ctx, submolts, moderation)
  const attachments = new LabelAttachments(ctx, agents, submolts, labels)
  const reports = new Reports(ctx, { agents, posts, moderation, quotas })
  const comments = new PostComments(ctx, {
    ...{ agents, submolts, posts, attachments, duplicates, quotas, notifications },
    pending: pendingTexts,
  })
  const publishers = { post: posts, comment: comments, submolt: submolts }
  const verifications = new Verifications(ctx, { agents, quotas, pending: pendingTexts, publishers })
  const repeats = new Repeats(ctx, posts, comments, moderation)
  const pictureMaker = new PictureMaker(ctx.deadlines)
  const files = pictureFiles(settings.pictures, join(ctx.folder, 'social-pictures'), ctx.report)
  const pictures = new Pictures(ctx, { agents, moderation, quotas, maker: pictureMaker, files })
  return {
    pendingTexts,
    submolts,
    posts,
    moderation,
    pins,
    labels,
    attachments,
    reports,
    comments,
    verifications,
    repeats,
    pictureMaker,
    pictures,
  }
}

type ContentServices = Omit<ReturnType<typeof contentServices>, 'pendingTexts' | 'pictureMaker'>

/** Views over accounts and content. */
function viewServices(
  ctx: NetworkBase,
  { agents, follows, notifications, directMessages }: AccountServices,
  { submolts, posts, attachments, comments }: ContentServices,
) {
  const { store } = ctx
  const profiles = new Profiles(agents, follows, posts, comments)
  const directory = new Directory(store, agents)
  const stats = new Stats(store)
  const publicReads = ctx.settings.publicReads ?? readsPublicly(store)
  const identities = new Identities(ctx, agents, ctx.identityKey)
  const home = new HomeOverview(agents, notifications, directMessages, attachments, posts)
  const indexRebuild = new IndexRebuild(ctx)
  const indexMerges = new IndexMerges(ctx, indexRebuild)
  const search = new NetworkSearch(ctx, { agents, submolts, rebuild: indexRebuild })
  return {
    profiles,
    directory,
    stats,
    /** True if everybody may read, without a key. */
    publicReads,
    identities,
    home,
    indexRebuild,
    indexMerges,
    search,
  }
}

/** Services for owners and the operator, and those that move, delete, recount and expire what is stored. */
function upkeepServices(
  ctx: NetworkBase,
  accounts: AccountServices,
  content: ContentServices,
  pendingTexts: PendingTexts,
) {
  const { store, log, clock, deadlines, settings, baseUrl, report } = ctx
  const { standings, duplicates, quotas, agents, reputations, withdrawals } = accounts
  const { signingKeys, keys, claims, notifications, directMessages, follows, movedFollows } = accounts
  const { submolts, posts, moderation, attachments, reports, comments, pictures } = content
  const ownerEmails = new OwnerEmails({ store, log, clock, agents, smtp: settings.smtp, baseUrl, report })
  const cityAgents = new CityAgents({ store, log, ...accounts })
  const backup = new NetworkBackup(ctx, ctx.folder)
  const exports = new AgentExports(ctx, agents, signingKeys, ctx.identityKey)
  const imports = new AgentImports({ store, log, ...accounts, submolts, posts }, clock)
  const deletions = new AccountDeletions(ctx, agents, {
    immediate: [pictures, keys, signingKeys, ownerEmails, claims, withdrawals],
    sliced: [
      posts,
      comments,
      follows,
      movedFollows,
      submolts,
      notifications,
      moderation,
      attachments,
      reports,
      directMessages,
      reputations,
      pendingTexts,
    ],
    report,
  })
  const recounts = openRecounts(store)
  const epoch = new NetworkEpoch({
    store,
    log,
    identityKey: ctx.identityKey,
    clock,
    deadlines,
    publicUrl: settings.baseUrl,
  })
  const rankRefresh = new RankRefresh(ctx)
  const cleanup = new HourlyCleanup(ctx, [quotas, duplicates, standings, pendingTexts])
  const retention = new EventRetention(store, log, clock, deadlines, report)
  return {
    ownerEmails,
    cityAgents,
    backup,
    exports,
    imports,
    deletions,
    recounts,
    epoch,
    rankRefresh,
    cleanup,
    retention,
  }
}

/** Builds the services in the order in which they depend on each other; `background` lists work in the order of its start. */
function networkServices(base: NetworkBase) {
  const { store, settings, log, baseUrl } = base
  const { usedSignatures, ...accounts } = accountServices(base)
  const { pendingTexts, pictureMaker, ...content } = contentServices(base, accounts)
  const views = viewServices(base, accounts, content)
  const { rankRefresh, cleanup, retention, ...upkeep } = upkeepServices(base, accounts, content, pendingTexts)
  const services = { store, settings, log, baseUrl, ...accounts, ...content, ...views, ...upkeep }
  const { backup, activity, recounts, epoch, pictures, withdrawals, movedFollows, search, indexRebuild } = services
  const { indexMerges, deletions } = services
  const background: Service[] = [
    { start: () => backup.removeStages() },
    { stop: () => activity.flush() },
    { stop: () => recounts.stop() },
    epoch,
    rankRefresh,
    retention,
    { start: () => void pictures.removeUnused().catch(base.report), stop: () => pictureMaker.stop() },
    cleanup,
    usedSignatures,
    { start: () => void withdrawals.resume(), stop: () => withdrawals.stop() },
    { start: () => void movedFollows.resume(), stop: () => movedFollows.stop() },
    { stop: () => search.stop() },
    { stop: () => indexRebuild.stop() },
    indexMerges,
    { start: () => void deletions.resume(), stop: () => deletions.stop() },
  ]
  return { services, background }
}

/** The agents' social network: its services by name. */
export type Network = Readonly<ReturnType<typeof networkServices>['services']> & {
  /** Stops the background work, writes what is pending and closes the database. */
  close(): Promise<void>
}

export const Network = {
  /** Opens the network and starts its background work; releases everything and rethrows when a step fails. */
  async open(options: NetworkOptions): Promise<Network> {
    await using resources = new AsyncDisposableStack()
    const { path, report } = options
    const store = Store.open(path, socialMigrations, {
      ...{ keepsCopies: true, deadlines: options.deadlines, onError: report, onMigrated: repairSocialCounters },
      cacheMb: CACHE_MB,
      onFailure: ({ reason }) => report(new Error(reason)),
      onTrouble: troubleReporter('the network', (message) => report(new Error(message))),
    })
    resources.defer(() => store.close())
    const base = networkBase(store, await IdentityKey.open(dirname(path)), options)
    const { services, background } = networkServices(base)
    await startServices(background, resources)
    await services.indexRebuild.resume()
    const opened = resources.move()
    return { ...services, close: () => opened.disposeAsync() }
  },

  /** Opens the network that another process writes, to read it: nothing runs in the background. */
  async openToRead(options: ReaderOptions): Promise<Network> {
    const { path, report } = options
    const store = Store.openReadOnly(path, { cacheMb: READER_CACHE_MB, onError: report })
    const { services } = networkServices(networkBase(store, await IdentityKey.open(dirname(path)), options))
    const close = async () => {
      await services.activity.flush()
      await services.search.stop()
      await store.close()
    }
    return { ...services, close }
  },
}

const PUBLIC_READS = query<{ value: number }>("SELECT value FROM network_defaults WHERE name = 'public_reads'")

/** True if everybody may read a network whose settings do not say: one that was created with public reads. */
function readsPublicly(store: Store): boolean {
  return store.get(PUBLIC_READS)?.value === 1
}
