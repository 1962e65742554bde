import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandExit, HostedCommands } from '../../agents/launch/index.ts'
import type { ServiceConfig } from '../../config/services/index.ts'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { claimFolder, requireNoLinks } from '../../core/folders.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import { ServiceExited, ServiceRestarted, ServiceStarted } from '../events.ts'
import { countFailures, probeDelay, restartDelay } from './back-off.ts'
import { mountOf } from './mount.ts'
import type { Probe } from './probe.ts'
import type { Publication } from './publication.ts'
import { publishedFolder } from './published.ts'
import type { ServiceRepository } from './repository.ts'
import type { ServiceState } from './state.ts'
import type { ServiceRow } from './table.ts'

export interface ServiceProcessOptions {
  repository: ServiceRepository
  commands: HostedCommands
  tokens: ProcessTokens
  /** `$GC_HOME`. */
  home: string
  probe: Probe
  surroundings(): ServiceSurroundings
  publication(service: ServiceConfig): Publication
  /** Reason no program is started now; undefined when it may be. */
  held(): string | undefined
  onChange(): void
}

const SERVICES = gcPart('services')
const RETRY_MS = 5_000

/** Keeps the process of one service running: in the session host, so that it outlives the supervisor. */
export class ServiceProcess {
  #service: ServiceConfig
  #state: ServiceState
  /** Queue of its operations. */
  #work: Promise<void> = Promise.resolve()
  #next: Deadline | undefined
  #isOpen = true
  /** The start that is ended on purpose: nothing follows from its exit. */
  #dismissed: string | undefined
  readonly #readiness: ReadinessWatch

  constructor(
    private readonly context: CityContext,
    service: ServiceConfig,
    private readonly options: ServiceProcessOptions,
  ) {
    this.#service = service
    this.#state = { local: 'starting', since: context.clock.now() }
    this.#readiness = new ReadinessWatch(context, {
      probe: () => options.probe(this.paths.socket, this.#service.healthPath),
      onReady: () => this.#set({ local: 'ready' }),
      onNotReady: (reason) => this.#set({ local: 'degraded', reason }),
    })
  }

  get service(): ServiceConfig {
    return this.#service
  }

  get state(): ServiceState {
    return this.#state
  }

  get row(): ServiceRow | undefined {
    return this.options.repository.find(this.#service.name)
  }

  get paths(): ServicePaths {
    return pathsOf(this.#service, this.options.surroundings().path, this.options.home)
  }

  /** Adopts the process when it runs and is what is declared; starts it otherwise. */
  start(hosted: ReadonlySet<string>): Promise<void> {
    return this.#enqueue(async () => {
      const { row } = this
      if (row?.state === 'running' && hosted.has(nameOf(row)) && this.#isWanted(row)) return this.#adopt(row)
      if (row?.state === 'waiting' && this.#isWanted(row)) return this.#wait(row)
      if (row) await this.#end(row)
      await this.#launch()
    })
  }

  /** Takes another declaration: the process continues unless it would be started differently. */
  change(service: ServiceConfig): void {
    void this.#enqueue(async () => {
      this.#service = service
      const { row } = this
      if (row && row.state !== 'starting' && this.#isWanted(row)) return
      if (row) await this.#end(row)
      await this.#clearFailures()
      await this.#launch()
    })
  }

  /** Starts it now that it may be started, if that is what it waits for. */
  release(): void {
    if (this.#state.local === 'stopped') void this.#enqueue(() => this.#launch())
  }

  /** Starts it again, however often it failed. */
  restart(by: Actor): Promise<void> {
    return this.#enqueue(async () => {
      const { store, log } = this.context
      const { repository } = this.options
      const { name } = this.#service
      if (this.#service.broken !== undefined) throw new AppError('conflict-wrong-state', this.#service.broken)
      await store.write((tx) => {
        repository.clearFailures(tx, name)
        log.append(tx, ServiceRestarted, { subject: name }, { service: name })
      }, by)
      const { row } = this
      this.#set({ local: 'stopping' })
      if (row) await this.#end(row)
      await this.#launch()
      const { local, reason, startError } = this.#state
      if (local === 'stopped') throw new AppError('conflict-wrong-state', `service ${name} is not started: ${reason}`)
      if (startError !== undefined)
        throw new AppError('internal', `service ${name} could not be started: ${startError}`)
    })
  }

  /** Its declaration is gone: ends it, and forgets it. */
  remove(): Promise<void> {
    return this.#enqueue(async () => {
      const { store } = this.context
      const { repository } = this.options
      const { row } = this
      this.#isOpen = false
      this.#quiet()
      if (!row) return
      await this.#end(row)
      await store.write((tx) => repository.remove(tx, row.name), SERVICES)
    })
  }

  /** Lets go of it; the process runs on. */
  stop(): Promise<void> {
    this.#isOpen = false
    this.#quiet()
    return this.#work
  }

  /** Resolves when nothing is being done to it. */
  get idle(): Promise<void> {
    return this.#work
  }

  /** Nothing answered on its socket: looks whether it still does. */
  doubt(reason: string): void {
    if (this.#state.local !== 'ready') return
    this.#set({ local: 'degraded', reason })
    this.#readiness.begin()
  }

  /** The end of one of its processes; resolves once that is on disk. */
  receive(exit: CommandExit): Promise<void> {
    if (exit.name === this.#dismissed) return Promise.resolve()
    return this.#enqueue(async () => {
      const { row } = this
      if (row?.state !== 'running' || nameOf(row) !== exit.name) return
      this.#quiet()
      if (row.tokenHash !== null) this.options.tokens.end(row.tokenHash)
      if (exit.how !== 'exited') return this.#isOpen ? this.#launch() : undefined
      await this.#fail(exitSentence(exit), exit.endedAt - exit.startedAt)
    })
  }

  #isWanted({ fingerprint }: ServiceRow): boolean {
    const { broken } = this.#service
    return broken === undefined && fingerprint === fingerprintOf(this.#service, this.#publication)
  }

  get #publication(): Publication {
    return this.options.publication(this.#service)
  }

  #adopt({ name, tokenHash }: ServiceRow): void {
    if (tokenHash !== null) this.options.tokens.adopt(tokenHash, tokenName(name), MAY)
    this.#set({ local: 'starting' })
    this.#readiness.begin()
  }

  #wait({ dueAt, lastExit }: ServiceRow): void {
    this.#set({ local: 'degraded', reason: 'process_exited', ...(lastExit !== null && { startError: lastExit }) })
    this.#launchAt(dueAt ?? 0)
  }

  async #launch(): Promise<void> {
    this.#quiet()
    const { store } = this.context
    const { repository, held } = this.options
    if (!this.#isOpen) return
    const { name, broken } = this.#service
    if (broken !== undefined) return this.#set({ local: 'config_error', reason: broken })
    const reason = held()
    if (reason !== undefined) return this.#set({ local: 'stopped', reason })
    this.#set({ local: 'starting' })
    await store.write((tx) => repository.begin(tx, name, fingerprintOf(this.#service, this.#publication)), SERVICES)
    const { row } = this
    if (row) await this.#run(row)
  }

  async #run(row: ServiceRow): Promise<void> {
    const { store, log, clock } = this.context
    const { commands, tokens, repository, surroundings } = this.options
    const { name } = row
    const token = tokens.issue(tokenName(name), MAY)
    try {
      const { paths } = this
      prepareFolders(paths, surroundings().path)
      const env = { ...serviceEnvironment(this.#service, paths, this.#publication, surroundings()), ...token.env }
      const { command, folder } = this.#service
      const { pid, startedAt } = await commands.start(nameOf(row), {
        ...{ argv: [...command], cwd: folder, env, log: { file: paths.log, bytes: LOG_BYTES } },
      })
      await store.write((tx) => {
        const running = { pid, processStarted: startedAt, tokenHash: token.hash, startedAt: clock.now() }
        repository.setRunning(tx, name, running)
        log.append(tx, ServiceStarted, { subject: name }, { service: name, pid })
      }, SERVICES)
      this.#readiness.begin()
    } catch (error) {
      tokens.end(token.hash)
      const isOurs = error instanceof AppError && error.code !== 'validation-failed'
      if (!isOurs) return this.#fail(errorMessage(error), 0)
      this.#set({ local: 'degraded', reason: errorMessage(error), startError: errorMessage(error) })
      this.#launchAt(this.context.clock.now() + RETRY_MS)
    }
  }

  /** It ended automatically, or could not be started. */
  async #fail(reason: string, ranForMs: number): Promise<void> {
    const { store, log, clock } = this.context
    const { repository } = this.options
    const { row } = this
    if (!row) return
    const { name } = row
    const failures = countFailures(row.failures, ranForMs)
    const delay = restartDelay(failures)
    const endedAt = clock.now()
    const dueAt = delay === undefined ? null : endedAt + delay
    await store.write((tx) => {
      repository.setEnded(tx, name, { failures, lastExit: reason, endedAt, dueAt })
      const next = dueAt === null ? {} : { next_start_at: toTimestamp(dueAt) }
      log.append(tx, ServiceExited, { subject: name, message: reason }, { service: name, failures, ...next })
    }, SERVICES)
    if (dueAt === null) return this.#set({ local: 'restart_failed', reason: 'process_exited', startError: reason })
    this.#set({ local: 'degraded', reason: 'process_exited', startError: reason })
    this.#launchAt(dueAt)
  }

  /** Starts it at a moment, and not before. */
  #launchAt(due: number): void {
    this.#next?.cancel()
    if (this.#isOpen) this.#next = this.context.deadlines.at(due, () => this.#enqueue(() => this.#launch()))
  }

  /** Ends what runs under a row; its exit, when it is reported, is of no start that counts. */
  async #end(row: ServiceRow): Promise<void> {
    const { store } = this.context
    const { commands, tokens, repository } = this.options
    this.#quiet()
    if (row.tokenHash !== null) tokens.end(row.tokenHash)
    this.#dismissed = nameOf(row)
    await commands.end(nameOf(row))
    await store.write((tx) => repository.setGone(tx, row.name), SERVICES)
  }

  async #clearFailures(): Promise<void> {
    const { store } = this.context
    const { repository } = this.options
    await store.write((tx) => repository.clearFailures(tx, this.#service.name), SERVICES)
  }

  #quiet(): void {
    this.#next?.cancel()
    this.#readiness.end()
  }

  #set(state: Omit<ServiceState, 'since'>): void {
    this.#state = { ...state, since: this.context.clock.now() }
    this.options.onChange()
  }

  #enqueue(step: () => Promise<void> | void): Promise<void> {
    const done = this.#work.then(step)
    this.#work = done.catch((error) => {
      if (!(error instanceof AppError)) this.context.report(`service ${this.#service.name}: ${errorMessage(error)}`)
    })
    return done
  }
}

/** A service may speak to a messenger for the city. */
const MAY = ['connect'] as const

/** As events name what it does. */
const tokenName = (service: string): string => `service ${service}`

/** Each start of a service has a name of its own in the session host. */
const nameOf = ({ name, runs }: ServiceRow): string => `${name}/${runs}`

const MAX_LINE = 200

/** Exit of a process, with its last printed line. */
function exitSentence({ exitCode, signal, output }: CommandExit): string {
  const how = signal === undefined ? `exit status ${exitCode}` : `ended by ${signal}`
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? ''
  if (line === '') return how
  return `${how}: ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`
}

/** Maximum time until a process that is not ready is reported. */
const PATIENCE_MS = 5_000

interface ReadinessListener {
  /** Reason it is not ready; undefined when it is. */
  probe(): Promise<string | undefined>
  onReady(): void
  onNotReady(reason: string): void
}

/** Asks a process whether it is ready, at growing intervals, until it is; nothing is asked afterwards. */
class ReadinessWatch {
  #round = 0
  #next: Deadline | undefined

  constructor(
    private readonly options: { deadlines: Deadlines; clock: { now(): number } },
    private readonly listener: ReadinessListener,
  ) {}

  begin(): void {
    this.end()
    void this.#ask(this.#round, 0, this.options.clock.now())
  }

  end(): void {
    this.#round++
    this.#next?.cancel()
  }

  async #ask(round: number, probes: number, since: number): Promise<void> {
    const { clock, deadlines } = this.options
    const reason = await this.listener.probe().catch(errorMessage)
    if (round !== this.#round) return
    if (reason === undefined) return this.listener.onReady()
    if (clock.now() - since >= PATIENCE_MS) this.listener.onNotReady(reason)
    this.#next = deadlines.after(probeDelay(probes), () => this.#ask(round, probes + 1, since))
  }
}

interface ServiceSurroundings {
  readonly city: string
  /** The city's folder. */
  readonly path: string
  /** Variables of every command of the city. */
  readonly base: Readonly<Record<string, string | undefined>>
  readonly url: string
}

/** The environment of the process of a service, but for its token. */
function serviceEnvironment(
  service: ServiceConfig,
  paths: ServicePaths,
  { visibility, url: publicUrl = '' }: Publication,
  { city, path, base, url }: ServiceSurroundings,
): Record<string, string> {
  const inherited = Object.entries(base).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
  return {
    ...Object.fromEntries(inherited),
    ...(service.pack !== undefined && { GC_PACK_NAME: service.pack, GC_PACK_DIR: service.folder }),
    GC_API_BASE_URL: url,
    GC_SERVICE_NAME: service.name,
    GC_SERVICE_SOCKET: paths.socket,
    GC_SERVICE_STATE_ROOT: paths.stateRoot,
    GC_SERVICE_SECRETS_DIR: paths.secrets,
    GC_SERVICE_RUN_ROOT: paths.run,
    GC_SERVICE_URL_PREFIX: mountOf(city, service.name),
    GC_SERVICE_PUBLIC_URL: publicUrl,
    GC_SERVICE_VISIBILITY: visibility,
    GC_PUBLISHED_SERVICES_DIR: publishedFolder(path),
  }
}

/** Fingerprint of a process's start; a change restarts it. */
function fingerprintOf(service: ServiceConfig, { url }: Publication): string {
  const { block: _, broken: __, responseTimeout: ___, ...declared } = service
  return createHash('sha256')
    .update(JSON.stringify([declared, url ?? '']))
    .digest('hex')
}

/** Maximum size of a log, kept twice. */
const LOG_BYTES = 4 * 1024 * 1024
/** The system takes no longer path of a socket. */
const MAX_SOCKET_BYTES = 100

const hash = (text: string, length: number): string => sha256(text).slice(0, length)

/** The files of one service. */
interface ServicePaths {
  /** Folder of its state. */
  readonly stateRoot: string
  readonly secrets: string
  readonly run: string
  readonly log: string
  /** The socket on which it is to listen. */
  readonly socket: string
}

/** Names the files of a service; the socket's path is short wherever the city lies. */
function pathsOf(
  { name, stateRoot }: Pick<ServiceConfig, 'name' | 'stateRoot'>,
  city: string,
  home: string,
): ServicePaths {
  const root = join(city, stateRoot)
  return {
    stateRoot: root,
    secrets: join(root, 'secrets'),
    run: join(root, 'run'),
    log: join(root, 'logs', 'service.log'),
    socket: join(socketFolder(home), `${hash(`${city}\0${name}`, 16)}.sock`),
  }
}

/** The folder of all sockets of a home: in it, or, where that is too deep, in one of its own. */
function socketFolder(home: string): string {
  const inside = join(home, 'run')
  const longest = join(inside, `${hash('', 16)}.sock`)
  return Buffer.byteLength(longest) <= MAX_SOCKET_BYTES ? inside : join('/tmp', `gc-run-${hash(home, 16)}`)
}

/** Makes the folders of a service, which only their owner may enter, and takes away the socket of an earlier process. */
function prepareFolders({ stateRoot, secrets, run, log, socket }: ServicePaths, city: string): void {
  for (const path of [secrets, run, join(log, '..')]) {
    requireNoLinks(city, path)
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  for (const folder of [stateRoot, secrets, join(socket, '..')]) claimFolder(folder)
  rmSync(socket, { force: true })
}
