import { LoginAccounts, LoginCheck } from '../agents/accounts/index.ts'
import { AgentSessionDirectory, Agents } from '../agents/agents/index.ts'
import {
  Attention,
  AttentionMutes,
  BudgetAttention,
  DetachedAttention,
  FailedAttention,
  HostAttention,
  LoginAttention,
  MailAttention,
  ParkedAttention,
  ProgramAttention,
  QuestionAttention,
  WorkAttention,
  WorktreeAttention,
} from '../agents/attention/index.ts'
import { openConfinement, PrivateFolders, RigTrust } from '../agents/confinement/index.ts'
import { builtinProviderLookup } from '../agents/conversations/index.ts'
import { commandEnvironment, HostedCommands, plainEnvironment, programEnvironment } from '../agents/launch/index.ts'
import { Parking, Reconciler, WaitingWork } from '../agents/lifecycle/index.ts'
import { LoginLimits } from '../agents/limits/index.ts'
import { NetworkAccounts, NetworkHeartbeat, SessionAccounts } from '../agents/network/index.ts'
import { ProjectFiles } from '../agents/project-files/index.ts'
import { ProgramInspector, Readiness } from '../agents/readiness/index.ts'
import { Rules } from '../agents/rules/index.ts'
import { openSessions, SessionAssignees } from '../agents/sessions/index.ts'
import { Budgets, Metering, Strictness, Usage, type UsageDependencies } from '../agents/usage/index.ts'
import { isKeptForCommits, Snapshots, Worktrees } from '../agents/worktrees/index.ts'
import { LandingAttention, Landings } from '../changes/landing/index.ts'
import {
  AskDelivery,
  ChangeContents,
  ChangeRows,
  Changes,
  ChangeTracker,
  ReviewAttention,
  Reviews,
} from '../changes/review/index.ts'
import { Accounts } from '../config/accounts/index.ts'
import { ProviderDeclarations } from '../config/catalog/index.ts'
import type { Config } from '../config/compose/index.ts'
import { GitRunner } from '../config/git/index.ts'
import { MissingPacksAttention, Packs } from '../config/pack-api/index.ts'
import { openPackFolders } from '../config/packs/index.ts'
import { Patches } from '../config/patches/index.ts'
import { FailedClonesAttention, RigClones, Rigs } from '../config/rig-api/index.ts'
import { Suspensions } from '../config/suspensions/index.ts'
import { ConfigViews } from '../config/views/index.ts'
import { ExternalMessages } from '../connect/extmsg/index.ts'
import { PullRequestMonitors, type RepairGiver } from '../connect/github/index.ts'
import { probeService, ServiceAttention, ServiceRepository, Services } from '../connect/services/index.ts'
import type { CityContext } from '../core/city-context.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventArchives, EventLog, EventRetention, Reactions } from '../core/events/index.ts'
import { Replays } from '../core/replays/index.ts'
import { Requests } from '../core/requests/index.ts'
import type { Store } from '../core/store/index.ts'
import type { ProcessCaller } from '../http/caller.ts'
import { ProcessTokens } from '../http/process-tokens.ts'
import { FormulaLibrary, Formulas } from '../orchestration/formulas/index.ts'
import { GateAttention, Gates } from '../orchestration/gates/index.ts'
import {
  FailingOrders,
  OrderApproval,
  OrderControl,
  OrderDispatcher,
  type OrderDispatcherOptions,
  OrderHistory,
  OrderLibrary,
  Orders,
} from '../orchestration/orders/index.ts'
import {
  Instantiator,
  MoleculeAutoClose,
  openRuns,
  RunAttention,
  RunMembers,
  RunRepository,
  SLING_WORKFLOW_CONFLICT,
  Sling,
  SlingSources,
  slingQueries,
  WispRetention,
  WorkflowEvents,
} from '../orchestration/runs/index.ts'
import { BeadProtection, BeadReader, BeadRepository, Beads } from '../work/beads/index.ts'
import { ClaimManager, Claims } from '../work/claims/index.ts'
import { Comments } from '../work/comments/index.ts'
import { Convoys } from '../work/convoys/index.ts'
import { Mail } from '../work/mail/index.ts'
import { WorkflowKey } from '../work/metadata.ts'
import { Search } from '../work/search/index.ts'
import { openSessionRecords } from '../work/sessions/index.ts'
import { BeadTransfer } from '../work/transfer/index.ts'
import { Waits } from '../work/waits/index.ts'
import { Backup } from './backup/index.ts'
import { Counters } from './counters/index.ts'
import type { CityDependencies } from './dependencies.ts'
import { Events } from './events/index.ts'
import { Maintenance } from './maintenance/index.ts'
import { CityStatus, DiskSpace, type StoreHealth, sessionCounter } from './status/index.ts'
import { CityTokens } from './tokens.ts'
import { buildWebhooks } from './webhook-services.ts'

/** Builds every service of a city, each after those it depends on; nothing runs yet. */
export function buildServices(foundation: Foundation) {
  const records = buildRecords(foundation)
  const sessions = buildSessions({ ...foundation, ...records })
  const work = buildWork({ ...foundation, ...records, ...sessions })
  const agents = buildAgents({ ...foundation, ...records, ...sessions, ...work })
  const operations = buildOperations({ ...foundation, ...records, ...sessions, ...work, ...agents })
  return { ...foundation, ...records, ...sessions, ...work, ...agents, ...operations }
}

export type CityServices = ReturnType<typeof buildServices>

function buildSessions(options: Foundation & Records) {
  const { name, path, url, store, log, clock } = options
  const { beadRepository, claimManager, sessionRepository, networkAccounts } = options
  const projectFiles = new ProjectFiles(options.context, options)
  const snapshots = new Snapshots(options.context, { ...options, projectFiles })
  const worktrees = new Worktrees(options.context, { ...options, projectFiles, snapshots })
  const kept = { city: path, beads: beadRepository, sessions: sessionRepository }
  const privateFolders = new PrivateFolders(options.context, { ...options, ...kept })
  const processTokens = new ProcessTokens({ city: name, url })
  const sessionServices = openSessions({
    ...options,
    processTokens,
    worktrees,
    projectFiles,
    beads: beadRepository,
    claims: claimManager,
    requests: new Requests(store, log, clock),
    environment: { ...options, city: name, network: new SessionAccounts(networkAccounts) },
  })
  const { operations, credentials, logs, launchPlanner, workload, resolver } = sessionServices
  return {
    ...{ worktrees, snapshots, projectFiles, privateFolders, processTokens, sessionServices },
    sessions: operations,
    credentials,
    /** The tokens of every kind that this city gives out. */
    tokens: new CityTokens([credentials, processTokens]),
    ...{ detached: sessionServices.detached, traffic: sessionServices.traffic, shares: sessionServices.shares },
    ...openConfinement(options, resolver),
    workload,
    logs,
    usage: countedUsage({ ...options, resolver, logs, providerOf: builtinProviderLookup(launchPlanner) }),
  }
}

/** The usage of the city. An answer of a model shows that the login of its session works. */
function countedUsage(options: UsageDependencies & Pick<Records, 'context' | 'limits'>): Usage {
  const usage = new Usage(options.context, options)
  usage.onUsage((tx, { login, answeredAt }) => {
    if (answeredAt !== undefined) options.limits.worked(tx, login, answeredAt)
  })
  return usage
}

type SessionServices = ReturnType<typeof buildSessions>

function buildWork(options: Foundation & Records & SessionServices) {
  const { name, beadReader, beadRepository, claimManager } = options
  const { sessionRecords, sessionServices } = options
  const { repository: sessions, resolver, waker, queue, turns } = sessionRecords
  const work = { ...options, ...{ sessions, resolver, waker, queue, turns }, city: name, beads: beadRepository }
  const assignees = new SessionAssignees(resolver, sessionServices.creator)
  const mail = new Mail(options.context, work)
  const beads = new Beads(options.context, {
    ...{ city: name, reader: beadReader, repository: beadRepository, assignees },
    protection: new BeadProtection({
      holderOf: (bead) => claimManager.holderOf(bead),
      isMailFor: (message, session) => mail.isFor(message, session),
      runOf: ({ id, metadata }) => {
        const root = metadata?.[WorkflowKey.rootBeadId] || id
        return options.runRepository.isCompiled(root) ? root : undefined
      },
    }),
  })
  const comments = new Comments(options.context, work)
  return {
    beads,
    claims: new Claims(options.context, { ...work, manager: claimManager }),
    comments,
    convoys: new Convoys(options.context, { ...work, lists: beads }),
    transfer: new BeadTransfer(options.context, { ...work, comments }),
    search: new Search(options.context, name, beadRepository),
    waits: new Waits(options.context, work),
    mail,
  }
}

type WorkServices = ReturnType<typeof buildWork>

function buildAgents(options: Foundation & Records & SessionServices & WorkServices) {
  const { name, store, clock, deadlines, env, config, suspensions, sessionServices, sessions } = options
  const metering = new Metering(options.context, { ...sessionServices, config, usage: options.usage })
  const budgets = new Budgets(options.context, { ...options, metering, strictness: new Strictness(store) })
  sessionServices.turns.use(budgets)
  const parking = new Parking(options.context, options.beadRepository, sessionServices.failures, options.mail)
  const agentSessions = new AgentSessionDirectory(options.context, {
    ...sessionServices,
    ...{ config, budgets, running: sessions.running, reading: sessions.reading },
  })
  const clones = new RigClones(options.context, options.config, options.git, options.report)
  const services = buildServiceProcesses(options)
  const { repository, resolver, creator, waker, queue } = sessionServices
  const externalMessages = new ExternalMessages(options.context, {
    ...options,
    ...{ repository, resolver, creator, waker, queue, services, city: name },
  })
  const gates = new Gates(options.context, options)
  const diskSpace = new DiskSpace(options.context, { ...options, folders: [options.path, options.home] })
  const attentionMutes = new AttentionMutes(options.context)
  const rules = new Rules(options.context, { ...sessionServices, ...options })
  const landings = buildLandings(options)
  const own = { clones, parking, budgets, gates, services, externalMessages, diskSpace, rules, landings }
  return {
    ...own,
    ...{ metering, attentionMutes },
    rigTrust: new RigTrust(options.context, { ...options, accepted: sessionServices.accepted }),
    networkHeartbeat: new NetworkHeartbeat(options.context, { ...options, queue }),
    attention: new Attention(options.context, {
      ...options,
      mutes: attentionMutes,
      sources: attentionSources({ ...options, ...own }),
    }),
    ...buildChanges({ ...options, landings }),
    loginAccounts: new LoginAccounts(options.context, {
      ...options,
      ...sessionServices,
      check: new LoginCheck(options.context, options.accounts, options.env, options.processTokens),
    }),
    readiness: new Readiness({ clock, deadlines, env, tokens: options.processTokens }),
    agents: new Agents(store, config, suspensions, agentSessions, clock),
    rigs: new Rigs(store, config, suspensions, agentSessions, options.git, clones, options.home),
    reconciler: new Reconciler(options.context, { ...options, ...sessionServices, city: name, budgets, parking }),
  }
}

type AgentServices = ReturnType<typeof buildAgents>

/** Changes, and the people's review of them. */
function buildChanges(options: Foundation & Records & SessionServices & { landings: Landings }) {
  const { changeRows: rows, beadRepository: beads, sessionRepository: sessions, sessionServices } = options
  const { queue, waker, closer } = sessionServices
  const contents = new ChangeContents(options.snapshots)
  const tracker = new ChangeTracker(options.context, { ...options, rows, contents })
  options.landings.onLanded((tx, { head, target }, commit) => {
    for (const change of rows.undecided()) if (change.head === head) tracker.landed(tx, change, { commit, target })
  })
  options.landings.onChecked((tx, { head }, checks) => {
    for (const change of rows.undecided()) if (change.head === head) rows.update(tx, change.id, { checks })
  })
  const asks = new AskDelivery(options.context, { ...options, rows, tracker, beads, sessions, queue, waker, closer })
  const changes = new Changes(options.context, { ...options, rows, tracker, contents, beads })
  const reviews = new Reviews(options.context, { ...options, rows, tracker, contents, changes, asks })
  return { changeTracker: tracker, changeAsks: asks, changes, reviews }
}

/** The merge queues of a city. */
const buildLandings = (options: Foundation & Records & SessionServices): Landings =>
  new Landings(options.context, {
    ...options,
    ...options.sessionServices,
    beads: options.beadRepository,
    sessions: options.sessionRepository,
    claims: options.claimManager,
    tokens: options.processTokens,
    confinement: options.sessionServices.commandConfinement,
    commands: new HostedCommands({ city: options.name, kind: 'land', host: options.host }),
    environment: () => plainEnvironment({ ...options, city: options.name }),
    isRun: (bead) => options.runRepository.find(bead) !== undefined,
    startsOf: (session, bead) => {
      const worked = options.changeRows.ofSession(session)
      return [worked.find((change) => change.bead === bead), worked.at(-1)].map((change) => change?.started ?? null)
    },
    isApproved: (head) => options.changeRows.reviewedAt(head).some(({ state }) => state === 'approved'),
    inReview: ({ rig, branch, head, bead }) =>
      options.changeRows.reviewedOn(rig, branch).filter((change) => change.head === head || change.bead === bead),
    lastBeadOf: (session) => options.changeRows.ofSession(session, 1)[0]?.bead ?? null,
  })

type AttentionOptions = Foundation &
  Records &
  SessionServices &
  WorkServices & {
    diskSpace: DiskSpace
    rules: Rules
    landings: Landings
    clones: RigClones
    parking: Parking
    budgets: Budgets
    gates: Gates
    services: Services
    externalMessages: ExternalMessages
  }

/** Everything that can wait for a person, in the order in which it is listed. */
function attentionSources(options: AttentionOptions) {
  const { store, clock, deadlines, config, sessionServices, clones, budgets, externalMessages } = options
  const { logins, loginWatcher, launchPlanner, askedHosts, detached, repository } = sessionServices
  const isAsking = (login: string) => loginWatcher.isAsking(login)
  return [
    new MissingPacksAttention(config, options.packFolders),
    new FailedClonesAttention(options.context, store, config, clones),
    options.storeHealth,
    options.diskSpace,
    options.counters,
    new QuestionAttention({ ...sessionServices, rules: options.rules }),
    new HostAttention(askedHosts),
    new FailedAttention(
      options.context,
      sessionServices.repository,
      sessionServices.launchPlanner,
      sessionServices.failures,
    ),
    new BudgetAttention(budgets),
    new LoginAttention(options.context, { ...options, logins, isAsking }),
    new ParkedAttention(options.parking, options.log),
    new GateAttention(options.gates, deadlines),
    new RunAttention(options.context, options.config, options.beadRepository),
    options.orderApproval,
    new FailingOrders(options.context, options.orderLibrary),
    externalMessages.attention,
    new ServiceAttention(options.services),
    new ProgramAttention(
      options.context,
      options.config,
      launchPlanner,
      new ProgramInspector(options.env, deadlines, options.processTokens),
    ),
    new WorkAttention(options.context, { ...options, launchPlanner, work: new WaitingWork(store, clock) }),
    new DetachedAttention(detached, repository),
    new ReviewAttention(options.changeRows, options.log, ({ rig, branch, head, bead }) =>
      branch === null || head === null ? undefined : options.landings.landingOf({ rig, branch, head, bead }),
    ),
    new WorktreeAttention(options.context, {
      ...options,
      isDecidedElsewhere: ({ session, rig, branch, commit }, kept) =>
        options.landings.rows.allOpenOf(rig, branch).length > 0 ||
        options.changeRows.undecided('ready').some((change) => change.session === session) ||
        (commit !== undefined && isKeptForCommits(kept) && options.landings.hasLanded(rig, commit)),
    }),
    new LandingAttention(options.landings, options),
    new MailAttention(options.mail, options.log),
  ]
}

function buildOperations(options: Foundation & Records & SessionServices & WorkServices & AgentServices) {
  const { name, store, log, clock, deadlines, config, suspensions, archives, beadRepository } = options
  const workflows = new WorkflowEvents(name, beadRepository)
  const sleep = (ms: number, signal: AbortSignal) => deadlines.sleep(ms, signal)
  const instantiator = new Instantiator(options.context, options.beadRepository)
  const { resolver } = options.sessionRecords
  const runServices = openRuns({
    ...{ ...options, instantiator, resolver },
    commandConfinement: options.sessionServices.commandConfinement,
    asking: () => options.sessionServices.questions.asking(),
  })
  const slingQuery = slingQueries(options.sessionServices.agentCommands)
  const started = { instantiator, runs: runServices.runs, resolver, slingQuery }
  const launching = { ...options, ...started, beads: beadRepository, suspended: suspensions }
  const orderServices = buildOrders(launching)
  const sling = new Sling(options.context, launching)
  return {
    ...orderServices,
    configViews: new ConfigViews({ ...options, sessions: options.sessionServices.drifted }),
    ...runServices,
    packs: new Packs({ ...options, folders: options.packFolders }),
    patches: new Patches(config),
    providerDeclarations: new ProviderDeclarations(config),
    formulas: new Formulas(options.context, options.config, options.formulaLibrary),
    molecules: new MoleculeAutoClose(options.context, options.reactions, options.beadRepository),
    wispRetention: new WispRetention(options.context, {
      ...{ ...options, beads: beadRepository },
      terms: () => ({ ttl: config.current.daemon.wispTtl, interval: config.current.daemon.wispGcInterval }),
    }),
    instantiator,
    sling,
    slingSources: new SlingSources(launching.context, launching.beads, launching.runRepository, launching.config),
    maintenance: new Maintenance(options.context, options.counters),
    backup: new Backup(options.context, options),
    events: new Events(store, log, beadRepository, workflows, archives, clock, sleep),
    monitors: buildMonitors({ ...options, sling }),
    webhooks: buildWebhooks({ ...options, ...orderServices }),
    status: new CityStatus(options.context, { ...options, sessions: sessionCounter(options.sessionRepository) }),
  }
}

type OrderServicesOptions = CityDependencies &
  Omit<OrderDispatcherOptions, 'commands' | 'environment'> & {
    context: CityContext
    config: Config
    beadReader: BeadReader
  }

/** Builds the services that run the orders of a city, and their operations. */
function buildOrders(options: OrderServicesOptions) {
  const { name: city, host } = options
  const orderDispatcher = new OrderDispatcher(options.context, {
    ...options,
    commands: {
      orders: new HostedCommands({ city, kind: 'order', host }),
      conditions: new HostedCommands({ city, kind: 'condition', host }),
    },
    environment: () => programEnvironment({ ...options, city }),
  })
  const orderHistory = new OrderHistory(options.context, { ...options, orderRuns: orderDispatcher.runs })
  return {
    orderDispatcher,
    orderHistory,
    orders: new Orders(options.config, options.orderLibrary),
    orderControl: new OrderControl(options.context, { ...options, orderDispatcher, orderHistory }),
  }
}

type GitHubServicesOptions = Omit<
  ConstructorParameters<typeof PullRequestMonitors>[1],
  'beads' | 'repairs' | 'sendMail'
> & {
  context: CityContext
  name: string
  beadRepository: BeadRepository
  mail: Mail
  sling: Sling
}

/** The monitors of a city's pull requests, with what they start. */
const buildMonitors = (options: GitHubServicesOptions): PullRequestMonitors =>
  new PullRequestMonitors(options.context, {
    ...options,
    beads: options.beadRepository,
    repairs: slungRepairs(options),
    sendMail: (tx, to, subject, body) => options.mail.notify(tx, to, subject, body),
  })

/** Repairs are slung: as beads, or with the formula that their monitor names. */
function slungRepairs({ name: city, sling }: GitHubServicesOptions): RepairGiver {
  const caller: ProcessCaller = { kind: 'process', city, name: 'github' }
  return {
    async give(bead, { route, workflow }, { rig, variables }) {
      const target = { target: route, ...(rig !== undefined && { rig }) }
      const subject = workflow === undefined ? { bead } : { attached_bead_id: bead, formula: workflow, vars: variables }
      try {
        await sling.sling(caller, { ...target, ...subject })
      } catch (error) {
        if (!(error instanceof AppError && error.code === SLING_WORKFLOW_CONFLICT)) throw error
      }
    },
  }
}

interface ServiceProcessesOptions extends CityDependencies {
  context: CityContext
  config: Config
  processTokens: ProcessTokens
  orderApproval: OrderApproval
  suspensions: Suspensions
}

/** Between TERM and KILL. */
const GRACE_MS = 2_000

/** Builds the services that run the processes of the city and its packs. */
function buildServiceProcesses(options: ServiceProcessesOptions): Services {
  const { context, name: city, path, host, url, publicUrl = () => undefined } = options
  return new Services(context, {
    ...{
      ...options,
      city,
      publicUrl,
      probe: probeService,
      tokens: options.processTokens,
      approval: options.orderApproval,
    },
    repository: new ServiceRepository(context.store),
    commands: new HostedCommands({ city, kind: 'service', host, grace: GRACE_MS }),
    surroundings: () => ({
      ...{ city, path, url: url() },
      // Made for who starts a process: every request that is passed on asks for the rest.
      get base() {
        return commandEnvironment({ ...options, city })
      },
    }),
  })
}

/** Foundation of the services of a city. */
interface Foundation extends CityDependencies {
  config: Config
  store: Store
  storeHealth: StoreHealth
}

/** The event log, and what more than one wing works with. */
function buildRecords(foundation: Foundation) {
  const { name, home, store, config, clock, deadlines, env, report } = foundation
  const reportError = (error: unknown) => report(`${name}: ${errorMessage(error)}`)
  const log = new EventLog(store, clock, deadlines)
  const context: CityContext = { store, log, clock, deadlines, report, reportError }
  const beadReader = new BeadReader(store)
  const orderLibrary = new OrderLibrary(config)
  const beadRepository = new BeadRepository(context, config, beadReader)
  const sessionRecords = openSessionRecords({ ...foundation, log, beadRepository })
  return {
    context,
    reportError,
    log,
    reactions: new Reactions(store, log, deadlines, report),
    retention: new EventRetention(store, log, clock, deadlines, reportError),
    archives: new EventArchives(store, log, clock, deadlines, () => config.current.events, reportError),
    /** Answers to requests that may be repeated. */
    replays: new Replays(store, clock),
    suspensions: new Suspensions(store, log),
    git: new GitRunner({ deadlines, env, confine: foundation.confineTool }),
    packFolders: openPackFolders(home),
    beadReader,
    beadRepository,
    counters: new Counters(context, beadRepository),
    runRepository: new RunRepository(context),
    runMembers: new RunMembers(store, beadRepository),
    changeRows: new ChangeRows(store),
    formulaLibrary: new FormulaLibrary(config, deadlines),
    orderLibrary,
    orderApproval: new OrderApproval(store, orderLibrary),
    claimManager: new ClaimManager(context, beadRepository),
    sessionRecords,
    sessionRepository: sessionRecords.repository,
    accounts: new Accounts(home, env.HOME ?? '/'),
    limits: new LoginLimits(context),
    networkAccounts: new NetworkAccounts(context, foundation),
  }
}

type Records = ReturnType<typeof buildRecords>
