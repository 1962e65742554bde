import { randomBytes } from 'node:crypto'
import type { CityConfig } from '../../../config/city/index.ts'
import { type Actor, gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import { Signal } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import type { StartResult } from '../../../host/protocol/index.ts'
import { readLoginFailure } from '../../../programs/login-statements.ts'
import type {
  MessageQueue,
  SessionChange,
  SessionEventRecorder,
  SessionRepository,
  SessionRow,
  SessionTokens,
} from '../../../work/sessions/index.ts'
import type { AcpConversations } from '../../conversations/index.ts'
import {
  keptOf,
  type LaunchPlanner,
  LIVE,
  movedFolder,
  type PreparedLaunch,
  type Prompts,
  type Provisioning,
  type SetupCommands,
} from '../../launch/index.ts'
import type { Login, Logins } from '../../limits/index.ts'
import type { CreateRequests, MessageDelivery } from '../../messaging/index.ts'
import type { Worktrees } from '../../worktrees/index.ts'
import type { ExitHandler } from '../exit/exit-handler.ts'
import type { ProcessExit } from '../plan/exit-rules.ts'

/** Actor that starts programs and records their outcome. */
const SESSIONS = gcPart('sessions')

/** The size of a terminal that no one has attached to yet. */
const COLS = 120
const ROWS = 40

interface SessionProcessesOptions {
  city: string
  config: { readonly current: Pick<CityConfig, 'daemon'> }
  host: SessionHost
  repository: SessionRepository
  tokens: SessionTokens
  exits: ExitHandler
  launchPlanner: LaunchPlanner
  prompts: Prompts
  provisioning: Provisioning
  recorder: SessionEventRecorder
  setup: SetupCommands
  worktrees: Pick<Worktrees, 'prepare'>
  conversations: AcpConversations
  logins: Pick<Logins, 'choose' | 'ownLogin'>
  queue: MessageQueue
  delivery: Pick<MessageDelivery, 'deliver'>
  createRequests: CreateRequests
}

interface StopOptions {
  /** Written before the process ends. */
  before?: (tx: Tx) => void
  /** True if the session is closed with it, so that no one will work under its names again. */
  isClosing?: boolean
}

/** Starts and ends the programs of sessions. Each step is on disk before the next, so that a crash loses nothing. */
export class SessionProcesses {
  readonly steps = new SessionSteps()
  readonly #sharing: FolderSharing

  constructor(
    private readonly context: CityContext,
    private readonly options: SessionProcessesOptions,
  ) {
    this.#sharing = new FolderSharing(context, options)
  }

  /** Starts a stopped session's program; its state shows how that went. `onUp` is called before its start is recorded. */
  start(id: string, onUp: () => void): Promise<void> {
    return this.steps.exclusively(id, () => this.#start(id, onUp))
  }

  /** Takes over a process that was started before a crash could record it. */
  adopt(id: string, process: { pid: number; startedAt: string }): Promise<void> {
    return this.steps.exclusively(id, async () => this.#recordStart(id, process, await this.#typedPrompt(id)))
  }

  /** Applies the changes of a declaration that need no restart to a running session. */
  refresh(id: string): Promise<void> {
    return this.steps.exclusively(id, () => this.#refresh(id))
  }

  /**
   * Ends a program whose login has no room any more; its session continues with another, or when that has room again.
   */
  leaveLogin(id: string, key: string, why: Pick<ProcessExit, 'limit' | 'deadLogin'>): Promise<void> {
    return this.steps.exclusively(id, async () => {
      if (this.options.repository.find(id)?.hostKey !== key) return
      await this.#endProcess(key)
      await this.options.exits.recordExit(id, key, { how: 'exited', ...why }, why.limit?.text ?? why.deadLogin)
    })
  }

  /** Ends a process and records the exit of the session it belonged to. */
  end(key: string, id: string | undefined): Promise<void> {
    if (id === undefined) return this.#endProcess(key)
    return this.steps.exclusively(id, () => this.#end(key, id))
  }

  /** Records that a session's process is gone, and everything that follows from it, in one write. */
  recordExit(id: string, key: string, exit: ProcessExit, output?: string): Promise<void> {
    return this.steps.exclusively(id, () => this.options.exits.recordExit(id, key, exit, output))
  }

  /** Ends a session's process on request; `after` records what the session is then. */
  stop(
    id: string,
    actor: Actor,
    after: (tx: Tx, row: SessionRow) => void,
    { before, isClosing }: StopOptions = {},
  ): Promise<void> {
    return this.steps.exclusively(id, async () => {
      if (before) await this.context.store.write(before, actor)
      const key = this.options.repository.find(id)?.hostKey
      if (key) await this.#endProcess(key)
      await this.context.store.write((tx) => {
        const row = this.options.exits.releaseProcess(tx, id, isClosing)
        if (row) after(tx, row)
      }, actor)
    })
  }

  /** Ends a process: it has `shutdown_timeout` to exit automatically. */
  async #endProcess(key: string): Promise<void> {
    await this.options.host.end(key, { grace: this.options.config.current.daemon.shutdownTimeout })
  }

  async #start(id: string, onUp: () => void): Promise<void> {
    const { store, clock } = this.context
    const { repository, launchPlanner, setup, exits, prompts, logins, provisioning } = this.options
    const startedAt = clock.now()
    const begun = await store.write((tx) => this.#begin(tx, id), SESSIONS)
    if (!begun) return
    let prepared: PreparedLaunch
    let process: StartResult
    const problems: string[] = []
    try {
      const row = await this.#prepareWorkDir(begun.row)
      const { text, warnings } = await prompts.of(row)
      const provision = await provisioning.read(row)
      const prepare = () => launchPlanner.prepare(row, begun.token, text, provision.servers)
      prepared = prepare()
      problems.push(...warnings)
      const isLate = provisioning.isLate(row)
      if (!isLate) problems.push(...(await provisioning.place(row, provision)))
      await setup.before(row, prepared)
      // What a confined program may do in its folder depends on what pre_start made of it.
      if (prepared.confine) prepared = prepare()
      if (isLate) problems.push(...(await provisioning.place(row, provision)))
      process = await this.#spawn(begun, prepared)
      this.#sharing.warnOf(row)
    } catch (error) {
      if (!isKnownFailure(error)) throw error
      const reason = errorMessage(error)
      const deadLogin = readLoginFailure(logins.ownLogin(begun.row).provider || undefined, reason)
      return exits.recordExit(id, begun.key, { how: 'not-started', ...(deadLogin && { deadLogin }) }, reason)
    }
    if (repository.find(id)?.hostKey !== begun.key) return
    problems.push(...(await setup.after(begun.row, prepared)))
    onUp()
    const isFresh = prepared.resume !== undefined && process.resumed === false
    const typedPrompt = isFresh ? prepared.freshPrompt : prepared.typedPrompt
    await this.#recordStart(id, process, typedPrompt, { prepared, failures: problems, startedAt })
  }

  async #spawn({ row, key }: { row: SessionRow; key: string }, prepared: PreparedLaunch): Promise<StartResult> {
    const { store } = this.context
    const { host, conversations, launchPlanner } = this.options
    const { argv, cwd, env, confine, transport, resume, model, servers } = prepared
    const spec = { key, argv, cwd, env, cols: COLS, rows: ROWS, ...(confine && { confine }) }
    if (transport === 'terminal') return host.start({ ...spec, program: launchPlanner.programOnTerminal(row) })
    await store.write((tx) => conversations.begin(tx, key, row))
    const mode = conversations.requestedMode(row.id)
    const acp = {
      patience: launchPlanner.startupTimeout(row),
      servers,
      ...(resume !== undefined && { resume }),
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
    }
    return host.start({ ...spec, kind: 'acp', acp })
  }

  /** Runs the commands with the environment of the start. */
  async #refresh(id: string): Promise<void> {
    const { store, clock } = this.context
    const { repository, launchPlanner, setup, recorder } = this.options
    const row = repository.find(id)
    if (row?.state !== 'active' || row.hostKey === null) return
    const startedAt = clock.now()
    const prepared = launchPlanner.prepare(row, '', '')
    const failures = await setup.again(row, prepared)
    await store.write((tx) => {
      const current = repository.find(id)
      if (current?.hostKey !== row.hostKey) return
      const live = prepared.fingerprint[LIVE] ?? ''
      const changed = repository.update(tx, id, { fingerprint: { ...current.fingerprint, [LIVE]: live } })
      for (const error of failures) recorder.operation(tx, changed, 'reset', startedAt, { error })
      recorder.updated(tx, changed)
    }, SESSIONS)
  }

  /** The prompt that is still to be typed into a program whose start was not recorded. */
  async #typedPrompt(id: string): Promise<string | undefined> {
    const { repository, prompts, launchPlanner } = this.options
    try {
      const row = repository.get(id)
      return launchPlanner.prepare(row, '', (await prompts.of(row)).text).typedPrompt
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  /** Creates the worktree of a session whose agent has one; returns the session with the folder it works in. */
  async #prepareWorkDir(row: SessionRow): Promise<SessionRow> {
    const { store } = this.context
    const { repository, launchPlanner, worktrees, setup } = this.options
    const agent = row.kind === 'agent' ? launchPlanner.agent(row.template) : undefined
    const path = (await worktrees.prepare(row, agent)) ?? movedFolder(row, launchPlanner.confinable(row), setup.path)
    if (path === undefined || path === row.workDir) return row
    return store.write((tx) => repository.update(tx, row.id, { workDir: path }))
  }

  /** Nothing begins when the last login with room has just reached its limit. */
  #begin(tx: Tx, id: string): { row: SessionRow; token: string; key: string } | undefined {
    const { repository, tokens, city, logins } = this.options
    const before = repository.get(id)
    const login = logins.choose(before)
    if (!login) return undefined
    const key = `${city}/${id}/${randomBytes(8).toString('hex')}`
    const row = repository.transition(tx, id, 'begin', {
      generation: before.generation + 1,
      hostKey: key,
      pid: null,
      processStarted: null,
      ...{ retryAt: null, resumed: false, worked: false },
      ...this.#changedConfinement(before),
      ...this.#changedLogin(before, login),
    })
    return { row, token: tokens.issue(tx, id, row.generation), key }
  }

  /** A confined program does not see the conversation of one that was not, nor the other way round. */
  #changedConfinement(row: SessionRow): SessionChange {
    const confined = this.options.launchPlanner.confinable(row)?.confine ?? 'off'
    const isOther = row.confined !== null && (row.confined === 'off') !== (confined === 'off')
    return { confined, ...(isOther && { sessionKey: null }) }
  }

  /** Another login knows nothing of the conversation so far. */
  #changedLogin(row: SessionRow, { id, provider, standsIn }: Login): SessionChange {
    const { logins, launchPlanner } = this.options
    const before = row.login || logins.ownLogin(row).id
    const own = (row.kind === 'agent' && launchPlanner.agent(row.template)?.provider) || row.provider
    return { login: id, provider: standsIn ? provider : own, ...(before !== id && { sessionKey: null }) }
  }

  /** Records that a session's program is up; `start` is absent for a process that was adopted. */
  async #recordStart(
    id: string,
    process: { pid: number; startedAt: string },
    typedPrompt: string | undefined,
    start?: { prepared: PreparedLaunch; failures: readonly string[]; startedAt: number },
  ): Promise<void> {
    const { store, clock } = this.context
    const { repository, recorder, queue, delivery, createRequests } = this.options
    await store.write((tx) => {
      if (repository.get(id).state !== 'creating') return
      const now = clock.now()
      const row = repository.transition(tx, id, 'ready', {
        pid: process.pid,
        processStarted: process.startedAt,
        wokeAt: now,
        activeAt: now,
        wakeRequestedAt: null,
        ...(start && keptOf(start.prepared)),
      })
      recorder.woke(tx, row)
      if (start) recorder.operation(tx, row, 'start', start.startedAt)
      for (const error of start?.failures ?? []) recorder.operation(tx, row, 'start', now, { error })
      if (typedPrompt !== undefined) queue.add(tx, id, typedPrompt, { intent: 'prompt' })
      createRequests.succeedUnlessPending(tx, id)
      tx.after(() => delivery.deliver(id))
    }, SESSIONS)
  }

  async #end(key: string, id: string): Promise<void> {
    await this.#endProcess(key)
    await this.options.exits.recordExit(id, key, { how: 'lost' })
  }
}

/** Warns, once for each agent, that no one limited an agent whose sessions now work in one and the same folder. */
class FolderSharing {
  readonly #warned = new Set<string>()

  constructor(
    private readonly context: CityContext,
    private readonly options: Pick<SessionProcessesOptions, 'repository' | 'launchPlanner'>,
  ) {}

  /** `row` is the session whose program was just started. */
  warnOf({ id, kind, template, workDir }: SessionRow): void {
    const { repository, launchPlanner } = this.options
    const agent = kind === 'agent' && !this.#warned.has(template) ? launchPlanner.agent(template) : undefined
    if (!agent || agent.maxActive !== undefined) return
    const isShared = repository
      .liveByTemplate(template)
      .some((other) => other.id !== id && other.workDir === workDir && other.hostKey !== null)
    if (!isShared) return
    this.#warned.add(template)
    this.context.report(
      `a second session of ${template} works in ${workDir}, as nothing limits the agent: set max_active_sessions = 1 if one is enough, or worktree = true for a folder each`,
    )
  }
}

/** True if a start certainly did not happen; otherwise the next listing of the host shows it. */
const isKnownFailure = (error: unknown): boolean => error instanceof AppError && error.code !== 'gateway-timeout'

/** The steps of sessions that are under way, such as starts and ends of their programs; a session takes one at a time. */
class SessionSteps {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #freed = new Signal<[session: string]>()

  isBusy(session: string): boolean {
    return this.#underWay.has(session)
  }

  /** Runs a step once those that the session began before are done. */
  exclusively<T>(session: string, step: () => Promise<T>): Promise<T> {
    const previous = this.#underWay.get(session) ?? Promise.resolve()
    const run = previous.then(step, step)
    const done: Promise<void> = run.catch(() => {}).then(() => this.#onDone(session, done))
    this.#underWay.set(session, done)
    return run
  }

  /** Calls the listener whenever a session has no step under way any more. */
  readonly onFree = this.#freed.listen

  /** Resolves when no session has a step under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values())
  }

  #onDone(session: string, step: Promise<unknown>): void {
    if (this.#underWay.get(session) !== step) return
    this.#underWay.delete(session)
    this.#freed.emit(session)
  }
}
