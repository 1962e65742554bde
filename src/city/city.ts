import { join } from 'node:path'
import { Agents } from '../agents/agents/agents.ts'
import { Attention } from '../agents/attention/attention.ts'
import { Budgets } from '../agents/budgets/budgets.ts'
import type { SessionLogs } from '../agents/conversations/tracking/session-logs.ts'
import { builtinProviderLookup } from '../agents/conversations/tracking/session-program.ts'
import { Parking } from '../agents/lifecycle/parking.ts'
import { Reconciler } from '../agents/lifecycle/reconciler.ts'
import { stopAllSessions } from '../agents/lifecycle/stop-all.ts'
import { Readiness } from '../agents/readiness/readiness.ts'
import { SessionRepository } from '../agents/sessions/repository.ts'
import { AgentSessionDirectory } from '../agents/sessions/service/agent-session-directory.ts'
import { type CitySessions, openAssignees, openSessions } from '../agents/sessions/service/open-sessions.ts'
import type { SessionOperations } from '../agents/sessions/service/operations.ts'
import { waitingSessions } from '../agents/sessions/service/waiting-sessions.ts'
import type { Workload } from '../agents/sessions/workload.ts'
import { Usage } from '../agents/usage/usage.ts'
import { ownerStateOf } from '../agents/worktrees/owner-state.ts'
import { Worktrees } from '../agents/worktrees/worktrees.ts'
import { Config } from '../config/config.ts'
import { ConfigViews } from '../config/config-views.ts'
import { GitRunner } from '../config/git/git-runner.ts'
import { RigClones } from '../config/rigs/rig-clones.ts'
import { Rigs } from '../config/rigs/rigs.ts'
import { Suspensions } from '../config/suspensions/suspensions.ts'
import { errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/log.ts'
import { Reactions } from '../core/events/reactions.ts'
import { EventRetention } from '../core/events/retention.ts'
import { EventArchives } from '../core/events/rotation.ts'
import { Lock } from '../core/lock.ts'
import { Replays } from '../core/replays/replays.ts'
import { Requests } from '../core/requests/requests.ts'
import { Store, type Tx } from '../core/store.ts'
import { WorkflowEvents } from '../orchestration/runs/projection.ts'
import { Sling } from '../orchestration/sling/sling.ts'
import { Beads } from '../work/beads/beads.ts'
import { BeadReader } from '../work/beads/reader.ts'
import { BeadRepository } from '../work/beads/repository.ts'
import { Claims } from '../work/claims/claims.ts'
import { ClaimManager } from '../work/claims/manager.ts'
import { Comments } from '../work/comments/comments.ts'
import { Convoys } from '../work/convoys/convoys.ts'
import { Mail } from '../work/mail/mail.ts'
import { Search } from '../work/search/search.ts'
import { BeadTransfer } from '../work/transfer/transfer.ts'
import { Waits } from '../work/waits/waits.ts'
import { Backup } from './backup/backup.ts'
import { cityMigrations } from './database/migrations.ts'
import type { CityDependencies } from './dependencies.ts'
import { Events } from './events/events.ts'
import { Maintenance } from './maintenance/maintenance.ts'
import { CityStatus } from './status/city-status.ts'
import { ControllerStarted, ControllerStopped } from './status/events.ts'
import { sessionCounter } from './status/session-counter.ts'

/** A running city: its services, built once, in the order they depend on each other. */
export class City {
  readonly name: string
  readonly path: string
  readonly store: Store
  readonly log: EventLog
  /** What was answered to requests that may be sent again. */
  readonly replays: Replays
  readonly config: Config
  readonly configViews: ConfigViews
  readonly beads: Beads
  readonly claims: Claims
  readonly comments: Comments
  readonly convoys: Convoys
  readonly sessions: SessionOperations
  readonly workload: Workload
  readonly parking: Parking
  readonly attention: Attention
  readonly logs: SessionLogs
  readonly usage: Usage
  readonly budgets: Budgets
  readonly readiness: Readiness
  readonly agents: Agents
  readonly rigs: Rigs
  readonly sling: Sling
  readonly mail: Mail
  readonly waits: Waits
  readonly worktrees: Worktrees
  readonly maintenance: Maintenance
  readonly backup: Backup
  readonly transfer: BeadTransfer
  readonly search: Search
  readonly events: Events
  readonly status: CityStatus
  readonly #reactions: Reactions
  readonly #retention: EventRetention
  readonly #archives: EventArchives
  readonly #clones: RigClones
  readonly #sessions: CitySessions
  readonly #reconciler: Reconciler
  #resources: AsyncDisposableStack | undefined
  #started = false
  #closing: Promise<void> | undefined

  /** Opens the city in a folder and brings it up; when a step fails, releases all that was begun and rethrows. */
  static async open(dependencies: CityDependencies): Promise<City> {
    const { name, path, home, phase, report } = dependencies
    await using resources = new AsyncDisposableStack()
    phase('loading_config')
    const config = resources.adopt(await Config.open(path, name), (opened) => opened.close())
    resources.adopt(Lock.acquire(join(path, '.gc', 'lock'), `the city ${name} of ${home}`), (lock) => lock.release())
    phase('starting_bead_store')
    const options = { onFailure: report, onError: (error: unknown) => report(`${name}: ${errorMessage(error)}`) }
    const store = Store.open(join(path, '.gc', 'city.db'), cityMigrations, options)
    resources.defer(() => store.close())
    const city = new City(dependencies, config, store)
    await city.#start(resources)
    city.#resources = resources.move()
    return city
  }

  private constructor(
    private readonly dependencies: CityDependencies,
    config: Config,
    store: Store,
  ) {
    const { name, path, home, bin, version, env, url, host, clock, deadlines, report } = dependencies
    const fault = (error: unknown) => report(`${name}: ${errorMessage(error)}`)
    this.name = name
    this.path = path
    this.store = store
    this.config = config
    const log = new EventLog(store, clock, deadlines)
    const reactions = new Reactions(store, log, deadlines, report)
    const retention = new EventRetention(store, log, clock, deadlines, fault)
    const archives = new EventArchives(store, log, clock, () => config.current.events, fault)
    const suspensions = new Suspensions(store)
    this.configViews = new ConfigViews(config, suspensions, url)
    const reader = new BeadReader(store)
    const beadRepository = new BeadRepository({ store, log, clock, scope: config, reader })
    const claimManager = new ClaimManager({ store, log, clock, beads: beadRepository })
    const repository = new SessionRepository(store, beadRepository, clock)
    this.worktrees = new Worktrees({
      ...{ store, log, reactions, clock, deadlines, config, env, report },
      ownerState: (id) => ownerStateOf(repository.find(id)),
    })
    const sessions = openSessions({
      ...{ store, log, reactions, clock, deadlines, config, host, repository, report },
      beads: beadRepository,
      claims: claimManager,
      requests: new Requests(store, log, clock),
      worktrees: this.worktrees,
      environment: { city: name, path, home, url, bin, env },
    })
    const { operations } = sessions
    const work = { city: name, store, log, clock, deadlines, reactions, beads: beadRepository }
    const assignees = openAssignees(sessions)
    const beads = new Beads({ city: name, store, clock, reader, repository: beadRepository, assignees })
    const claims = new Claims({ ...work, manager: claimManager, workers: operations.credentials, report })
    const comments = new Comments(work)
    const convoys = new Convoys({ ...work, lists: beads })
    this.readiness = new Readiness({ clock, deadlines, env })
    this.logs = sessions.logs
    const providerOf = builtinProviderLookup(sessions.launcher)
    this.usage = new Usage({
      ...{ store, clock, reactions, config, home, providerOf, report },
      book: repository,
      logs: this.logs,
    })
    const tell = (tx: Tx, subject: string, body: string) => this.mail.notifyPeople(tx, subject, body)
    this.budgets = new Budgets({ store, log, clock, config, usage: this.usage, notify: tell })
    const agentSessions = new AgentSessionDirectory({
      ...sessions,
      ...{ clock, budgets: this.budgets, control: operations.control, reader: operations.reader },
    })
    const git = new GitRunner({ deadlines, env })
    const clones = new RigClones({ store, log, clock, config, git, report })
    this.log = log
    this.replays = new Replays(store, clock)
    this.beads = beads
    this.claims = claims
    this.comments = comments
    this.convoys = convoys
    this.sessions = operations
    this.workload = sessions.workload
    this.parking = new Parking({ ...work, failures: sessions.failures, tell })
    this.attention = new Attention({ ...sessions, interactions: operations.interactions, parking: this.parking })
    this.agents = new Agents(store, config, suspensions, agentSessions, clock)
    this.rigs = new Rigs(store, config, suspensions, agentSessions, git, clones)
    this.sling = new Sling({ ...work, config, convoys, suspended: suspensions })
    this.mail = new Mail({
      ...work,
      config,
      report: fault,
      sessions: repository,
      nudge: (tx, session, text, name) => operations.sender.nudge(tx, session, text, name),
      withdraw: (tx, name) => sessions.queue.withdraw(tx, name),
    })
    this.maintenance = new Maintenance({ store, log, clock, deadlines, report })
    this.backup = new Backup({ name, path, version, store, clock })
    this.transfer = new BeadTransfer({ ...work, comments, rigs: () => config.current.rigs })
    this.search = new Search({ ...work, report: fault })
    this.waits = new Waits({ ...work, sessions: waitingSessions({ ...sessions, ...operations }), report })
    const workflows = new WorkflowEvents(name, beadRepository)
    this.events = new Events(store, log, beadRepository, workflows, archives, clock, (ms, signal) =>
      deadlines.sleep(ms, signal),
    )
    this.status = new CityStatus({
      ...{ name, version, store, log, clock, config, suspensions, beads },
      mail: this.mail,
      agents: this.agents,
      sessions: sessionCounter(repository),
    })
    this.#reactions = reactions
    this.#retention = retention
    this.#archives = archives
    this.#clones = clones
    this.#sessions = sessions
    this.#reconciler = new Reconciler({
      ...sessions,
      ...{ city: name, store, log, clock, deadlines, config, suspensions, host, report },
      budgets: this.budgets,
      parking: this.parking,
    })
  }

  /**
   * Closes the city. Its agents run on in the host, to be adopted by whoever opens it next; with `endSessions` they are
   * ended first.
   */
  close({ endSessions }: { endSessions: boolean }): Promise<void> {
    this.#closing ??= this.#close(endSessions)
    return this.#closing
  }

  /** Starts every service; each is released in the reverse order, also when a later one cannot start. */
  async #start(resources: AsyncDisposableStack): Promise<void> {
    const { phase, deadlines, report } = this.dependencies
    resources.defer(() => this.#recordStop())
    phase('resolving_formulas')
    this.config.watch(deadlines, report)
    resources.defer(() => this.#reactions.stop())
    this.#reactions.start()
    resources.defer(() => this.#retention.stop())
    this.#retention.start()
    resources.defer(() => this.#archives.stop())
    await this.#archives.start(deadlines)
    resources.defer(() => this.#clones.close())
    await this.#clones.recover()
    resources.defer(() => this.claims.stop())
    await this.claims.start()
    resources.defer(() => this.waits.stop())
    this.waits.start()
    this.backup.removeStages()
    resources.defer(() => this.maintenance.stop())
    this.maintenance.start()
    resources.defer(() => this.mail.retention.stop())
    this.mail.retention.start()
    phase('adopting_sessions')
    resources.defer(() => this.#reconciler.close())
    await this.#reconciler.start()
    resources.defer(() => this.worktrees.close())
    this.worktrees.start()
    resources.defer(() => this.search.words.stop())
    this.search.words.start()
    resources.defer(() => this.logs.stop())
    this.logs.start()
    phase('starting_agents')
    await this.store.write((tx) => void this.log.append(tx, ControllerStarted, { actor: 'gc' }, {}))
    this.#started = true
  }

  async #close(endSessions: boolean): Promise<void> {
    try {
      await this.#reconciler.close()
      if (endSessions) await this.#endSessions()
    } finally {
      await this.#resources?.disposeAsync()
    }
  }

  async #recordStop(): Promise<void> {
    if (!this.#started) return
    await this.store.write((tx) => void this.log.append(tx, ControllerStopped, { actor: 'gc' }, {})).catch(() => {})
  }

  async #endSessions(): Promise<void> {
    const { host, name, clock } = this.dependencies
    await stopAllSessions({ ...this.#sessions, clock }, this.config.current)
    const own = (await host.list()).filter(({ key, state }) => state === 'running' && key.startsWith(`${name}/`))
    await Promise.all(own.map(({ key }) => host.end(key)))
  }
}
