import type { Accounts } from '../../config/accounts/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { PromptRenderer } from '../../config/prompts/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { EventLog, Reactions } from '../../core/events/index.ts'
import type { Requests } from '../../core/requests/index.ts'
import type { Store } from '../../core/store/index.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { cpuTimeOf, ProcessTable } from '../../host/process/index.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import type { ClaimManager } from '../../work/claims/index.ts'
import { type SessionRecords, type SessionRepository, type SessionRow, workNamesOf } from '../../work/sessions/index.ts'
import {
  AcceptanceRecorder,
  CommandConfinement,
  ConfinedShell,
  Refusals,
  Shares,
  Traffic,
} from '../confinement/index.ts'
import {
  AcpConversations,
  AcpPrompter,
  AcpRetention,
  builtinProviderLookup,
  LastOutputs,
  openSessionLogs,
  ScreenSource,
  SessionActivity,
  subjectOfTool,
  TranscriptSearcher,
  Transcripts,
  toQuestion,
} from '../conversations/index.ts'
import {
  AgentCommands,
  type CityEnvironment,
  commandEnvironment,
  LaunchPlanner,
  Prompts,
  Provisioning,
  SetupCommands,
  ShellRunner,
} from '../launch/index.ts'
import {
  CrashHistory,
  DetachedProcesses,
  ExitHandler,
  ExitReceiver,
  FailureCounts,
  FirstClaims,
  LifeSigns,
  LoginWatcher,
  SessionCloser,
  SessionCreator,
  SessionDrainer,
  SessionProcesses,
} from '../lifecycle/index.ts'
import { type LoginLimits, Logins } from '../limits/index.ts'
import {
  AnswerGiver,
  CreateRequests,
  MessageDelivery,
  openTerminalInput,
  ProgramInput,
  pendingOf,
  QuestionWatcher,
  SessionRequests,
} from '../messaging/index.ts'
import type { ProjectFiles } from '../project-files/index.ts'
import { AnswerCounts, askingOf, CommandFolders, HostPrompts, optionOf, Questions } from '../questions/index.ts'
import type { Worktrees } from '../worktrees/index.ts'
import { SessionCredentials } from './credentials.ts'
import { DriftedSessions } from './drifted-sessions.ts'
import { SessionRetention } from './retention.ts'
import { SessionView } from './view.ts'
import { WaitingReasons } from './waiting.ts'

/** Dependencies of sessions on the rest of a city. */
export interface SessionsOptions {
  context: CityContext
  store: Store
  log: EventLog
  reactions: Reactions
  clock: Clock
  deadlines: Deadlines
  requests: Requests
  config: Config
  suspensions: Pick<Suspensions, 'isCitySuspended' | 'isAgentSuspended' | 'explain'>
  beads: BeadRepository
  claims: ClaimManager
  host: SessionHost
  worktrees: Pick<Worktrees, 'prepare' | 'secure'>
  projectFiles: Pick<ProjectFiles, 'place'>
  sessionRecords: SessionRecords
  limits: LoginLimits
  accounts: Accounts
  environment: CityEnvironment
  processTokens: ProcessTokens
  report(message: string): void
}

/** Builds what the services of a city's sessions are made of, each part after those it depends on. */
export function openSessionParts(options: SessionsOptions) {
  const records = { ...options.sessionRecords, ...openRunState(options) }
  const programs = openPrograms({ ...options, ...records })
  const messaging = openMessaging({ ...options, ...records, ...programs })
  const lifecycle = openLifecycle({ ...options, ...records, ...programs, ...messaging })
  const all = { ...options, ...records, ...programs, ...messaging, ...lifecycle }
  const { store, clock, deadlines, report, environment } = options
  const retention = new SessionRetention(store, clock, deadlines, report)
  const conversationRetention = new AcpRetention(store, clock, deadlines, report)
  return {
    ...{ ...records, ...programs, ...messaging, ...lifecycle },
    searcher: new TranscriptSearcher(all.context, all.repository, all.resolver, all.transcripts),
    drifted: new DriftedSessions(all.context, all.repository, all.recorder, all.launchPlanner),
    credentials: new SessionCredentials({ ...all, city: environment.city }),
    upkeep: new SessionUpkeep(all.context, { ...all, retention, conversationRetention }),
  }
}

export type SessionParts = Omit<SessionsOptions, 'requests'> & ReturnType<typeof openSessionParts>

/** Opens the state of sessions that their records do not hold. */
function openRunState({ store, log, clock, config, beads, sessionRecords, ...options }: SessionsOptions) {
  const { repository, waker } = sessionRecords
  const accepted = new AcceptanceRecorder(options.environment.path, options.report)
  const failures = new FailureCounts(store, clock)
  const crashes = new CrashHistory(config, clock)
  waker.onRelease((tx, { id, template }) => {
    failures.clear(tx, 'agent', template)
    tx.after(() => crashes.forget(id))
  })
  const answerCounts = new AnswerCounts(store, clock, (id) => repository.find(id)?.template)
  return {
    accepted,
    activity: new SessionActivity(),
    answerCounts,
    commandFolders: new CommandFolders(clock),
    questions: new Questions(options.context, {
      counts: answerCounts,
      onAnswered: (row) => accepted.note(row, repository.find(row.sessionId)),
    }),
    failures,
    firstClaims: new FirstClaims({ store, beads, failures, sessions: repository }),
    crashes,
  }
}

type Records = SessionRecords & ReturnType<typeof openRunState>

/** The programs of sessions: what is started, what is sent to them, and what they say. */
function openPrograms(options: SessionsOptions & Records) {
  const { store, clock, deadlines, config, host, repository, environment } = options
  const { questions, workload } = options
  const { city, path, env } = environment
  const launchPlanner = new LaunchPlanner(environment, config, options.accounts, () => clock.now())
  const logins = new Logins({ ...options, launchPlanner })
  const prompts = new Prompts(launchPlanner, new PromptRenderer(deadlines), environment.network)
  const shell = new ShellRunner(deadlines, options.processTokens, new ConfinedShell([environment.bin]))
  const commandEnv = commandEnvironment(environment)
  const setup = new SetupCommands({ config, launchPlanner, shell, path, env: commandEnv })
  const commandConfinement = new CommandConfinement({
    ...{ config, sessions: repository, place: environment },
    confinable: (row) => launchPlanner.confinable(row),
  })
  const beadOf = (row: SessionRow) => {
    const names = workNamesOf(row)
    return workload.activeBead(names) ?? workload.oneAssignedTo(names) ?? (row.work || undefined)
  }
  const conversations = new AcpConversations(options.context, {
    city,
    onAsked(tx, question) {
      const row = repository.find(question.sessionId)
      if (!row) return
      const asking = askingOf({ ...row, hostKey: question.hostKey }, 'agent', beadOf(row))
      questions.raise(tx, asking, toQuestion(question), subjectOfTool(question.tool))
    },
    onAnswered(tx, { hostKey, request }, choice) {
      for (const row of questions.openOf(hostKey)) {
        if (row.request !== request) continue
        if (choice === undefined) questions.drop(tx, row.id)
        else questions.end(tx, row.id, { choice: optionOf(row, choice), actor: tx.actor })
      }
    },
    onConversationOpened: (tx, id, conversation) => repository.update(tx, id, { sessionKey: conversation ?? null }),
  })
  const terminal = openTerminalInput(host, deadlines)
  const lastOutputs = new LastOutputs(store)
  const prompter = new AcpPrompter(host, conversations)
  const logs = openSessionLogs({
    ...{ context: options.context, name: city, path, env, sessionRepository: repository, launchPlanner, conversations },
    questions,
    pending: (row) => pendingOf({ questions, conversations }, repository.find(row.id) ?? row),
  })
  return {
    launchPlanner,
    logins,
    prompts,
    provisioning: new Provisioning(launchPlanner, options.projectFiles),
    ...{ setup, commandConfinement, conversations, terminal, beadOf },
    agentCommands: new AgentCommands({ config, shell, path, env: commandEnv, confinement: commandConfinement }),
    input: new ProgramInput({ launchPlanner, conversations, prompter, terminal }),
    logs,
    lastOutputs,
    transcripts: new Transcripts([new ScreenSource(host, lastOutputs)], repository, logs, deadlines, options.questions),
    view: new SessionView({ ...options, launchPlanner, logs, lastOutputs }),
    askedHosts: new HostPrompts(options.context, { ...options, city, beadOf }),
    questionWatcher: new QuestionWatcher(options.context, { ...options, city, launchPlanner, conversations, beadOf }),
  }
}

type Programs = ReturnType<typeof openPrograms>

/** Messages to sessions, and the requests that wait for them. */
function openMessaging(options: SessionsOptions & Records & Programs) {
  const { conversations } = options
  const waiting = new WaitingReasons(options)
  const requests = new SessionRequests(options.context, {
    ...options,
    explainWaiting: (session) => waiting.of(session),
  })
  const createRequests = new CreateRequests({ ...options, requests })
  const delivery = new MessageDelivery(options.context, { ...options, requests, createRequests })
  conversations.onTurnEnd(({ session }) => delivery.deliver(session))
  const answers = new AnswerGiver(options.context, { ...options, watcher: options.questionWatcher, delivery })
  return { waiting, requests, createRequests, delivery, answers }
}

type Messaging = ReturnType<typeof openMessaging>

/** Opens the services that create, wake, run and end sessions. */
function openLifecycle(options: Omit<SessionsOptions, 'requests'> & Records & Programs & Messaging) {
  const { environment, launchPlanner } = options
  const refusals = new Refusals({ ...options, place: environment, confinable: (row) => launchPlanner.confinable(row) })
  const exits = new ExitHandler(options.context, { ...options, refusals })
  const table = new ProcessTable()
  const lifeSigns = new LifeSigns(options.context, { ...options, cpuTime: (pid) => cpuTimeOf(table, pid) })
  const processes = new SessionProcesses(options.context, { ...options, exits, city: options.environment.city })
  const programOf = builtinProviderLookup(options.launchPlanner)
  const loginWatcher = new LoginWatcher(options.context, { ...options, processes, programOf })
  const detached = new DetachedProcesses(options.context, options)
  const traffic = new Traffic(options.context, options.host, options.resolver)
  return {
    processes,
    loginWatcher,
    detached,
    traffic,
    shares: new Shares(options.host, options.resolver),
    exitReceiver: new ExitReceiver({
      ...{ ...options, processes, loginWatcher, detached, traffic },
      city: options.environment.city,
    }),
    drainer: new SessionDrainer(options.context, { ...options, lifeSigns }),
    creator: new SessionCreator(options.context, options),
    closer: new SessionCloser(options.context, options),
  }
}

/** Recovers what a stop or a crash left, receives the records of ACP programs, and deletes what is old. */
class SessionUpkeep {
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      host: Pick<SessionHost, 'onRecords'>
      repository: SessionRepository
      conversations: AcpConversations
      conversationRetention: AcpRetention
      retention: SessionRetention
      requests: SessionRequests
      createRequests: CreateRequests
      delivery: MessageDelivery
      loginWatcher: LoginWatcher
      prompts: Pick<Prompts, 'close'>
      questionWatcher: QuestionWatcher
      answers: Pick<AnswerGiver, 'recover'>
    },
  ) {}

  async start(): Promise<void> {
    const { host, repository, conversations, delivery, retention, conversationRetention } = this.peers
    await this.#recoverRequests()
    this.#unsubscribe = host.onRecords((batch) => conversations.ingest(batch))
    for (const { id } of repository.live()) delivery.deliver(id)
    void this.#recoverQuestions()
    await retention.start()
    await conversationRetention.start()
  }

  stop(): void {
    const { retention, conversationRetention, loginWatcher, questionWatcher, delivery, requests, prompts } = this.peers
    this.#unsubscribe?.()
    retention.stop()
    conversationRetention.stop()
    loginWatcher.close()
    questionWatcher.close()
    delivery.close()
    requests.close()
    prompts.close()
  }

  /** Reads the screens again, and finishes the answers that a stop interrupted; nothing else waits for that. */
  async #recoverQuestions(): Promise<void> {
    const { report } = this.context
    const { questionWatcher, answers } = this.peers
    try {
      await answers.recover()
      await questionWatcher.start()
    } catch (error) {
      report(`questions of programs: ${errorMessage(error)}`)
    }
  }

  async #recoverRequests(): Promise<void> {
    const { store } = this.context
    const { repository, requests, createRequests, delivery } = this.peers
    const open = requests.recover()
    await store.write((tx) => {
      delivery.recover(tx)
      for (const request of open.filter(({ operation }) => operation === 'session.create')) {
        const row = repository.find(request.subject)
        if (!row || row.state === 'closed') {
          requests.fail(tx, request, 'create_failed', 'the session was closed before it was up')
        } else if (row.wokeAt !== null) createRequests.succeedUnlessPending(tx, row.id)
      }
    }, gcPart('sessions'))
  }
}
