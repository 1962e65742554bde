import { LoginAccounts } from '../agents/accounts/accounts.ts'
import { LoginCheck } from '../agents/accounts/login-check.ts'
import { AgentSessionDirectory } from '../agents/agents/agent-session-directory.ts'
import { Agents } from '../agents/agents/agents.ts'
import { Attention } from '../agents/attention/attention.ts'
import { BudgetAttention } from '../agents/attention/sources/budgets.ts'
import { DetachedAttention } from '../agents/attention/sources/detached.ts'
import { FailedAttention } from '../agents/attention/sources/failed.ts'
import { HostAttention } from '../agents/attention/sources/hosts.ts'
import { LoginAttention } from '../agents/attention/sources/logins.ts'
import { ParkedAttention } from '../agents/attention/sources/parked.ts'
import { QuestionAttention } from '../agents/attention/sources/questions.ts'
import { WorkAttention } from '../agents/attention/sources/work.ts'
import { openConfinement } from '../agents/confinement/open-confinement.ts'
import { PrivateFolders } from '../agents/confinement/private-folders.ts'
import { builtinProviderLookup } from '../agents/conversations/tracking/session-program.ts'
import { commandEnvironment, programEnvironment } from '../agents/launch/environment.ts'
import { HostedCommands } from '../agents/launch/hosted-commands.ts'
import { Parking } from '../agents/lifecycle/act/parking.ts'
import { Reconciler } from '../agents/lifecycle/act/reconciler.ts'
import { WaitingWork } from '../agents/lifecycle/plan/waiting-work.ts'
import { LoginLimits } from '../agents/limits/login-limits.ts'
import { NetworkHeartbeat } from '../agents/network/heartbeat.ts'
import { NetworkAccounts } from '../agents/network/network-accounts.ts'
import { SessionAccounts } from '../agents/network/session-accounts.ts'
import { ProjectFiles } from '../agents/project-files/project-files.ts'
import { Readiness } from '../agents/readiness/readiness.ts'
import { SessionAssignees } from '../agents/sessions/assignees.ts'
import { openSessions } from '../agents/sessions/open-sessions.ts'
import { Budgets } from '../agents/usage/budgets/budgets.ts'
import { Metering } from '../agents/usage/budgets/metering.ts'
import { Strictness } from '../agents/usage/budgets/strictness.ts'
import { Usage, type UsageDependencies } from '../agents/usage/usage.ts'
import { Worktrees } from '../agents/worktrees/worktrees.ts'
import { Accounts } from '../config/accounts/accounts.ts'
import { ProviderDeclarations } from '../config/catalog/provider-declarations.ts'
import type { Config } from '../config/compose/config.ts'
import { GitRunner } from '../config/git/git-runner.ts'
import { openPackFolders } from '../config/packs/builtin-folders.ts'
import { MissingPacksAttention } from '../config/packs/missing-attention.ts'
import { Packs } from '../config/packs/packs.ts'
import { Patches } from '../config/patches/patches.ts'
import { FailedClonesAttention } from '../config/rigs/failed-clones.ts'
import { RigClones } from '../config/rigs/rig-clones.ts'
import { Rigs } from '../config/rigs/rigs.ts'
import { Suspensions } from '../config/suspensions/suspensions.ts'
import { ConfigViews } from '../config/views/config-views.ts'
import { ExternalMessages } from '../connect/extmsg/external-messages.ts'
import { PullRequestMonitors } from '../connect/github/monitors.ts'
import type { RepairGiver } from '../connect/github/repairs.ts'
import { ServiceAttention } from '../connect/services/attention.ts'
import { probeService } from '../connect/services/probe.ts'
import { ServiceRepository } from '../connect/services/repository.ts'
import { Services } from '../connect/services/services.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/log.ts'
import { Reactions } from '../core/events/reactions.ts'
import { EventRetention } from '../core/events/retention.ts'
import { EventArchives } from '../core/events/rotation.ts'
import { Replays } from '../core/replays/replays.ts'
import { Requests } from '../core/requests/requests.ts'
import type { Store } from '../core/store/store.ts'
import type { ProcessCaller } from '../http/caller.ts'
import { ProcessTokens } from '../http/process-tokens.ts'
import { FormulaLibrary } from '../orchestration/formulas/formula-library.ts'
import { Formulas } from '../orchestration/formulas/formulas.ts'
import { GateAttention } from '../orchestration/gates/attention.ts'
import { Gates } from '../orchestration/gates/gates.ts'
import { Instantiator } from '../orchestration/instantiate/instantiator.ts'
import { MoleculeAutoClose } from '../orchestration/molecules/auto-close.ts'
import { WispRetention } from '../orchestration/molecules/wisp-retention.ts'
import { OrderControl } from '../orchestration/orders/control.ts'
import { OrderApproval } from '../orchestration/orders/dispatch/approval.ts'
import { OrderDispatcher, type OrderDispatcherOptions } from '../orchestration/orders/dispatch/dispatcher.ts'
import { OrderHistory } from '../orchestration/orders/history/history.ts'
import { OrderLibrary } from '../orchestration/orders/order-library.ts'
import { Orders } from '../orchestration/orders/orders.ts'
import { RunAttention } from '../orchestration/runs/attention.ts'
import { RunMembers } from '../orchestration/runs/members.ts'
import { WorkflowEvents } from '../orchestration/runs/projection.ts'
import { RunRepository } from '../orchestration/runs/repository.ts'
import { SLING_WORKFLOW_CONFLICT } from '../orchestration/sling/errors.ts'
import { Sling } from '../orchestration/sling/sling.ts'
import { slingQueries } from '../orchestration/sling/sling-query.ts'
import { SlingSources } from '../orchestration/sling/source-runs.ts'
import { BeadProtection, Beads } from '../work/beads/beads.ts'
import { BeadReader } from '../work/beads/reader.ts'
import { BeadRepository } from '../work/beads/repository.ts'
import { Claims } from '../work/claims/claims.ts'
import { ClaimManager } from '../work/claims/manager.ts'
import { Comments } from '../work/comments/comments.ts'
import { Convoys } from '../work/convoys/convoys.ts'
import { Mail } from '../work/mail/mail.ts'
import { WorkflowKey } from '../work/metadata.ts'
import { Search } from '../work/search/search.ts'
import { openSessionRecords } from '../work/sessions/open.ts'
import { BeadTransfer } from '../work/transfer/transfer.ts'
import { Waits } from '../work/waits/waits.ts'
import { Backup } from './backup/backup.ts'
import { Counters } from './counters/counters.ts'
import type { CityDependencies } from './dependencies.ts'
import { Events } from './events/events.ts'
import { Maintenance } from './maintenance/maintenance.ts'
import { buildRuns } from './run-services.ts'
import { CityStatus } from './status/city-status.ts'
import { sessionCounter } from './status/session-counter.ts'
import type { StoreHealth } from './status/store-health.ts'
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
  const projectFiles = new ProjectFiles(options)
  const worktrees = new Worktrees({ ...options, projectFiles })
  const kept = { city: path, beads: beadRepository, sessions: sessionRepository }
  const privateFolders = new PrivateFolders({ ...options, ...kept })
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
  const { operations, logs, launchPlanner, workload, resolver } = sessionServices
  return {
    ...{ worktrees, projectFiles, privateFolders, processTokens, sessionServices },
    sessions: operations,
    /** The tokens of every kind that this city gives out. */
    tokens: new CityTokens([operations.credentials, processTokens]),
    ...{ detached: sessionServices.detached, traffic: sessionServices.traffic, shares: sessionServices.shares },
    ...openConfinement(options, resolver),
    workload,
    logs,
    usage: countedUsage({ ...options, resolver, logs, providerOf: builtinProviderLookup(launchPlanner) }),
  }
}

/** The usage of the city. An answer of a model shows that the login of its session works. */
function countedUsage(options: UsageDependencies & Pick<Records, 'limits'>): Usage {
  const usage = new Usage(options)
  usage.onUsage((tx, { login, answeredAt }) => {
    if (answeredAt !== undefined) options.limits.worked(tx, login, answeredAt)
  })
  return usage
}

type SessionServices = ReturnType<typeof buildSessions>

function buildWork(options: Foundation & Records & SessionServices) {
  const { name, store, clock, reportError, beadReader, beadRepository, claimManager } = options
  const { sessionRecords, sessionServices } = options
  const { repository: sessions, resolver, waker, queue, turns } = sessionRecords
  const work = { ...options, ...{ sessions, resolver, waker, queue, turns }, city: name, beads: beadRepository }
  const assignees = new SessionAssignees(resolver, sessionServices.creator)
  const mail = new Mail({ ...work, report: reportError })
  const beads = new Beads({
    ...{ city: name, store, clock, reader: beadReader, repository: beadRepository, assignees },
    protection: new BeadProtection({
      holderOf: (bead) => claimManager.holderOf(bead),
      isMailFor: (message, session) => mail.isFor(message, session),
      runOf: ({ id, metadata }) => {
        const root = metadata?.[WorkflowKey.rootBeadId] || id
        return options.runRepository.isCompiled(root) ? root : undefined
      },
    }),
  })
  const comments = new Comments(work)
  return {
    beads,
    claims: new Claims({ ...work, manager: claimManager }),
    comments,
    convoys: new Convoys({ ...work, lists: beads }),
    transfer: new BeadTransfer({ ...work, comments }),
    search: new Search({ ...work, report: reportError }),
    waits: new Waits(work),
    mail,
  }
}

type WorkServices = ReturnType<typeof buildWork>

function buildAgents(options: Foundation & Records & SessionServices & WorkServices) {
  const { name, store, clock, deadlines, env, config, suspensions, sessionServices, sessions } = options
  const metering = new Metering({ ...sessionServices, store, config, usage: options.usage, report: options.report })
  const budgets = new Budgets({ ...options, metering, strictness: new Strictness(store) })
  sessionServices.turns.use(budgets)
  const parking = new Parking({ ...options, beads: options.beadRepository, failures: sessionServices.failures })
  const agentSessions = new AgentSessionDirectory({
    ...sessionServices,
    ...{ store, clock, budgets, control: sessions.control, reader: sessions.reader },
  })
  const clones = new RigClones(options)
  const services = buildServiceProcesses(options)
  const { repository, resolver, creator, waker, queue } = sessionServices
  const externalMessages = new ExternalMessages({
    ...{ ...options, repository, resolver, creator, waker, queue, services, city: name },
    report: options.reportError,
  })
  const gates = new Gates(options)
  return {
    metering,
    budgets,
    gates,
    services,
    parking,
    clones,
    externalMessages,
    networkHeartbeat: new NetworkHeartbeat({ ...options, queue }),
    attention: new Attention({
      ...options,
      sources: attentionSources({ ...options, clones, parking, budgets, gates, services, externalMessages }),
    }),
    loginAccounts: new LoginAccounts({
      ...options,
      ...sessionServices,
      check: new LoginCheck({ ...options, tokens: options.processTokens }),
    }),
    readiness: new Readiness({ clock, deadlines, env, tokens: options.processTokens }),
    agents: new Agents(store, config, suspensions, agentSessions, clock),
    rigs: new Rigs(store, config, suspensions, agentSessions, options.git, clones),
    reconciler: new Reconciler({ ...options, ...sessionServices, city: name, budgets, parking }),
  }
}

type AgentServices = ReturnType<typeof buildAgents>

type AttentionOptions = Foundation &
  Records &
  SessionServices & {
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
    new FailedClonesAttention({ store, clock, config, clones }),
    options.storeHealth,
    options.counters,
    new QuestionAttention(sessionServices),
    new HostAttention(askedHosts),
    new FailedAttention({ ...sessionServices, clock }),
    new BudgetAttention(budgets),
    new LoginAttention({ ...options, logins, isAsking }),
    new ParkedAttention(options.parking, options.log),
    new GateAttention(options.gates, deadlines),
    new RunAttention(options),
    options.orderApproval,
    externalMessages.attention,
    new ServiceAttention(options.services),
    new WorkAttention({ ...options, launchPlanner, work: new WaitingWork(store, clock) }),
    new DetachedAttention(detached, repository),
  ]
}

function buildOperations(options: Foundation & Records & SessionServices & WorkServices & AgentServices) {
  const { name, store, log, clock, deadlines, config, suspensions, archives, beadRepository } = options
  const workflows = new WorkflowEvents(name, beadRepository)
  const sleep = (ms: number, signal: AbortSignal) => deadlines.sleep(ms, signal)
  const instantiator = new Instantiator(options)
  const { resolver } = options.sessionRecords
  const runServices = buildRuns({
    ...{ ...options, instantiator, resolver },
    commandConfinement: options.sessionServices.commandConfinement,
    asking: () => options.sessionServices.questions.asking(),
  })
  const slingQuery = slingQueries(options.sessionServices.agentCommands)
  const started = { instantiator, runs: runServices.runs, resolver, slingQuery }
  const launching = { ...options, ...started, beads: beadRepository, suspended: suspensions }
  const orderServices = buildOrders(launching)
  const sling = new Sling(launching)
  return {
    ...orderServices,
    configViews: new ConfigViews({ ...options, sessions: options.sessions.drifted }),
    ...runServices,
    packs: new Packs({ ...options, folders: options.packFolders }),
    patches: new Patches(config),
    providerDeclarations: new ProviderDeclarations(config),
    formulas: new Formulas(options),
    molecules: new MoleculeAutoClose(options),
    wispRetention: new WispRetention({
      ...{ ...options, beads: beadRepository },
      terms: () => ({ ttl: config.current.daemon.wispTtl, interval: config.current.daemon.wispGcInterval }),
    }),
    instantiator,
    sling,
    slingSources: new SlingSources(launching),
    maintenance: new Maintenance(options),
    backup: new Backup(options),
    events: new Events(store, log, beadRepository, workflows, archives, clock, sleep),
    monitors: buildMonitors({ ...options, sling }),
    webhooks: buildWebhooks({ ...options, ...orderServices }),
    status: new CityStatus({ ...options, sessions: sessionCounter(options.sessionRepository) }),
  }
}

type OrderServicesOptions = CityDependencies &
  Omit<OrderDispatcherOptions, 'commands' | 'environment'> & { config: Config; beadReader: BeadReader }

/** What runs the orders of a city, and what clients see of them. */
function buildOrders(options: OrderServicesOptions) {
  const { name: city, host } = options
  const orderDispatcher = new OrderDispatcher({
    ...options,
    commands: {
      orders: new HostedCommands({ city, kind: 'order', host }),
      conditions: new HostedCommands({ city, kind: 'condition', host }),
    },
    environment: () => programEnvironment({ ...options, city }),
  })
  const orderHistory = new OrderHistory({ ...options, orderRuns: orderDispatcher.runs })
  return {
    orderDispatcher,
    orderHistory,
    orders: new Orders(options),
    orderControl: new OrderControl({ ...options, orderDispatcher, orderHistory }),
  }
}

type GitHubServicesOptions = Omit<
  ConstructorParameters<typeof PullRequestMonitors>[0],
  'beads' | 'repairs' | 'sendMail'
> & {
  name: string
  beadRepository: BeadRepository
  mail: Mail
  sling: Sling
}

/** The monitors of a city's pull requests, with what they start. */
const buildMonitors = (options: GitHubServicesOptions): PullRequestMonitors =>
  new PullRequestMonitors({
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
        if (!(error instanceof AppError && error.code === SLING_WORKFLOW_CONFLICT.code)) throw error
      }
    },
  }
}

interface ServiceProcessesOptions extends CityDependencies {
  config: Config
  store: Store
  log: EventLog
  processTokens: ProcessTokens
  orderApproval: OrderApproval
  suspensions: Suspensions
}

/** Between TERM and KILL. */
const GRACE_MS = 2_000

/** What keeps the services of the city and its packs running. */
function buildServiceProcesses(options: ServiceProcessesOptions): Services {
  const { name: city, path, store, host, url, publicUrl = () => undefined } = options
  return new Services({
    ...{
      ...options,
      city,
      publicUrl,
      probe: probeService,
      tokens: options.processTokens,
      approval: options.orderApproval,
    },
    repository: new ServiceRepository(store),
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

/** What the services of a city are built on. */
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
  const beadReader = new BeadReader(store)
  const orderLibrary = new OrderLibrary(config)
  const beadRepository = new BeadRepository({ store, log, clock, scope: config, reader: beadReader })
  const sessionRecords = openSessionRecords({ ...foundation, log, beadRepository })
  return {
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
    counters: new Counters({ store, beadRepository, reportError }),
    runRepository: new RunRepository({ store, log, clock }),
    runMembers: new RunMembers(store, beadRepository),
    formulaLibrary: new FormulaLibrary(config, deadlines),
    orderLibrary,
    orderApproval: new OrderApproval(store, orderLibrary),
    claimManager: new ClaimManager({ store, log, clock, beads: beadRepository }),
    sessionRecords,
    sessionRepository: sessionRecords.repository,
    accounts: new Accounts(home, env.HOME ?? '/'),
    limits: new LoginLimits({ store, log, clock }),
    networkAccounts: new NetworkAccounts({ ...foundation, log }),
  }
}

type Records = ReturnType<typeof buildRecords>
