import { join } from 'node:path'
import type { AgentNetwork } from '../agents/network/index.ts'
import { SupervisorShutdownRequested, SupervisorStarted } from '../city/events.ts'
import { KEPT_UNCONFINED, keepUnconfined, readDefaultMode, readSaidMode } from '../config/confinement/index.ts'
import { type ConfineMode, findBackendProblem } from '../config/declare/index.ts'
import { checkoutsFolder, removeAbandonedFetches } from '../config/packs/index.ts'
import { type Actor, gcPart } from '../core/actor.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventLog, EventRetention } from '../core/events/index.ts'
import { Lock } from '../core/lock.ts'
import { memoize } from '../core/memoize.ts'
import { releaseAfterStart } from '../core/program-memory.ts'
import { Replays } from '../core/replays/index.ts'
import { Requests } from '../core/requests/index.ts'
import { type Service, startServices } from '../core/service.ts'
import { command, query, Store, type Tx, troubleReporter } from '../core/store/index.ts'
import { redactLine } from '../core/text/index.ts'
import { connectToHosts, type SessionHost } from '../host/client/index.ts'
import { confineTool } from '../host/confine/index.ts'
import { isKeyOf } from '../host/protocol/index.ts'
import { createApp, type RequestHandler } from '../http/app.ts'
import { isLoopback, parseHost } from '../http/authority.ts'
import type { HttpListener, ListenOptions } from '../http/listen.ts'
import { listenWithRetry, requireUnused } from '../http/listen-with-retry.ts'
import { notFoundHandler } from '../http/not-found.ts'
import { ProcessTokens } from '../http/process-tokens.ts'
import { RequestMetrics } from '../http/request-metrics.ts'
import { ResponseWriter } from '../http/respond/index.ts'
import { Callers } from './callers.ts'
import { Cities } from './cities.ts'
import { CityHistory } from './city-history.ts'
import { DeletedCities } from './deleted-cities.ts'
import { EventLogs } from './event-logs.ts'
import { healthRoute } from './health-route.ts'
import { Home } from './home.ts'
import { LateHandler } from './late-handler.ts'
import { supervisorMigrations } from './migrations.ts'
import { People } from './people/index.ts'
import { ServedNetwork } from './served-network.ts'
import { stackOf } from './stack.ts'
import { Supervisor } from './supervisor.ts'
import { createSupervisorPlane, guardSettings } from './supervisor-plane.ts'
import { TokenRegistry } from './token-registry.ts'
import { TokenRequirement } from './token-requirement.ts'

const SUPERVISOR = gcPart('supervisor')

export interface ServeOptions {
  /** The folder of gc's own files. */
  home: string
  host: string
  /** 0 takes any free one. */
  port: number
  /** Undefined asks everybody for a token once something should be confined; false never does. */
  requireToken: boolean | undefined
  readOnly: boolean
  /** The agents' network, when it has an address of its own. */
  social?: { host: string; port: number }
  /** Address of hooks and direct services for other machines; none when absent. */
  public?: PublicListen
  /** Host names and origins beside the loopback ones. */
  allowHosts: readonly string[]
  allowOrigins: readonly string[]
  /** Sentences for the log of a supervisor that starts. */
  notices?: readonly string[]
  /** The command that starts this program: the binary, or bun and its entry point. */
  program: readonly string[]
  version: string
  build: string | undefined
  /** Variables that sessions inherit: PATH, HOME, locale and the like. */
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
  clock?: Clock
}

/** A running supervisor. */
export interface Running {
  readonly url: string
  /** The address of the agents' network; undefined when it has none. */
  readonly socialUrl: string | undefined
  /** True if it could be opened, as far as that has been tried. */
  readonly isNetworkServed: boolean
  /** The address of hooks and direct services for other machines; undefined without one. */
  readonly publicUrl: string | undefined
  /** Resolves once it has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** Ends it; with `endSessions`, every session and the host first. Bounded in time. */
  stop(options: { endSessions: boolean; signal?: string }): Promise<void>
}

/** Starts the supervisor of one `GC_HOME`: registry, session host, cities and the HTTP listeners. */
export async function serve(options: ServeOptions): Promise<Running> {
  if (!isLoopback(options.host) && !options.requireToken) {
    throw new AppError(
      'invalid-request',
      `${options.host} is reachable from other machines: start with --require-token, or listen on 127.0.0.1`,
    )
  }
  const problem = findBackendProblem(options.env.GC_SESSION)
  if (problem !== undefined) throw new AppError('invalid-request', problem)
  await using resources = new AsyncDisposableStack()
  const report = (message: string) => options.report(redactLine(message))
  const { GC_TOKEN: _, ...env } = options.env
  const started = await start({ ...options, env, report, home: Home.open(options.home) }, resources)
  return running(started, resources.move())
}

type SupervisorOptions = Omit<ServeOptions, 'home'> & { home: Home }

type StartResult = Awaited<ReturnType<typeof start>>

/** Starts everything in order; `resources` releases it in the reverse order, at the end or when a step fails. */
async function start(options: SupervisorOptions, resources: AsyncDisposableStack) {
  const foundation = await openFoundation(options, resources)
  const { home, env } = options
  const { store, log, host, deadlines, reportError } = foundation
  const confinement = await beginConfinement(foundation)
  const listeners = new Listeners()
  const findNetwork = () => network.forCities
  const registry = openRegistry({ ...foundation, ...confinement, listeners, findNetwork }, resources)
  const network = await openNetwork(foundation, listeners, resources)
  const stopping = Promise.withResolvers<StopRequest>()
  const stop: Stop = ({ endSessions, actor }) => stopping.resolve({ endSessions, actor })
  const handlers = createHandlers({ ...foundation, ...confinement, ...registry, listeners, network, stop })
  await listen(handlers, listeners, foundation, resources)
  const socialUrl = listeners.social?.url ?? (isNetworkShared(options) ? listeners.url : undefined)
  await startServices(
    [
      new RunHistory(foundation),
      { start: () => foundation.retention.start() },
      { start: () => void registry.tokens.start().catch(reportError) },
      { start: () => network.announce(socialUrl) },
      publishedAddress(foundation, listeners.url, socialUrl),
      { start: () => void registry.cities.openAll().catch(reportError) },
      new DeletedCities({ ...foundation, ...registry, home: home.path, env }),
      { start: () => void handlers.load().catch(reportError) },
    ],
    resources,
  )
  releaseAfterStart(deadlines)
  const { cities } = registry
  const urls = { url: listeners.url, socialUrl, publicUrl: listeners.public?.url }
  return { ...urls, isNetworkServed: network.isServed, store, log, cities, host, stopping, reportError }
}

/** The lock of the home, its registry, and the hosts of its sessions. */
async function openFoundation(options: SupervisorOptions, resources: AsyncDisposableStack) {
  const { home, clock = systemClock, report, program } = options
  const reportError = (error: unknown) => report(errorMessage(error))
  const lock = Lock.acquire(home.lock, `gc serve on ${options.host}:${options.port}`)
  resources.defer(() => lock.release())
  const deadlines = new Deadlines(clock, undefined, reportError)
  resources.defer(() => deadlines.close())
  const { social, public: open } = options
  for (const address of [options, social, open]) if (address) await requireUnused({ ...address, deadlines })
  for (const notice of options.notices ?? []) report(notice)
  const store = Store.open(home.registry, supervisorMigrations, {
    ...{ keepsCopies: true, deadlines, onError: reportError },
    onFailure: ({ reason }) => report(reason),
    onTrouble: troubleReporter('the registry', report),
  })
  resources.defer(() => store.close())
  const log = new EventLog(store, clock, deadlines)
  const retention = new EventRetention(store, log, clock, deadlines, reportError)
  resources.defer(() => retention.stop())
  home.link(program)
  void removeAbandonedFetches(checkoutsFolder(home.path)).catch(reportError)
  const build = [options.version, options.build].filter(Boolean).join('-')
  const launch = [...program, 'host']
  const host = await connectToHosts({ home: home.path, launch, build, env: options.env, clock, deadlines, report })
  resources.defer(() => host.close())
  const writer = new ResponseWriter({ deadlines })
  return { ...{ options, home, clock, report, reportError, deadlines, store, log, retention }, build, host, writer }
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>
type Confinement = Awaited<ReturnType<typeof beginConfinement>>

/** The listeners of a supervisor, each from when it is bound. */
class Listeners {
  main: HttpListener | undefined
  social: HttpListener | undefined
  public: Pick<HttpListener, 'url'> | undefined

  /** The address of the API. */
  get url(): string {
    return this.#bound.url
  }

  /** The listener that serves the network: its own, or that of the API. */
  get network(): HttpListener {
    return this.social ?? this.#bound
  }

  get #bound(): HttpListener {
    if (!this.main) throw new Error('the supervisor does not listen yet')
    return this.main
  }
}

/** True if the agents' network is served at the address of the API. */
const isNetworkShared = ({ social, host }: Pick<ServeOptions, 'social' | 'host'>): boolean =>
  social === undefined && isLoopback(host)

function openNetwork(
  { options, home, clock, deadlines, report, writer }: Foundation,
  listeners: Listeners,
  resources: AsyncDisposableStack,
): Promise<ServedNetwork> {
  const { social, allowHosts: hosts, allowOrigins: origins, env } = options
  const { host } = social ?? options
  const listener = { host, isOwn: social !== undefined, bound: () => listeners.network }
  return ServedNetwork.open({ home, clock, deadlines, listener, hosts, origins, env, report, writer }, resources)
}

interface RegistryOptions extends Foundation, Confinement {
  listeners: Listeners
  findNetwork(): AgentNetwork | undefined
}

/** The cities, with their tokens, events and history. */
function openRegistry(options: RegistryOptions, resources: AsyncDisposableStack) {
  const { store, log, clock, deadlines, report, home, host } = options
  const findRunning = (name: string) => cities.findRunning(name)
  const tokens = new TokenRegistry({ store, clock, deadlines, report, findRunning })
  resources.defer(() => tokens.stop())
  const history = new CityHistory({
    ...{ store, clock, report },
    build: options.build,
    stop: (name, error) => cities.abandon(name, error),
  })
  const logs = new EventLogs(log, clock, {
    listRunning: () => cities.listRunning(),
    listResting: () => cities.listResting(),
    wake: (name) => cities.wake(name),
  })
  const shared = cityDependencies(options)
  const cities: Cities = new Cities({
    ...{ store, log, clock, report, home: home.path },
    requests: new Requests(store, log, clock),
    open: (at) =>
      history.open(at, async (hooks) => {
        const { openCity } = await import('../city/city.ts')
        const otherCities = () => cities.list().flatMap(({ name, path }) => (name === at.name ? [] : [path]))
        return openCity({ ...shared, ...at, ...hooks, tokenMirror: tokens.mirror(at.name), otherCities })
      }),
    rests: () => history.rests(),
    keepRests: (rests) => history.keepRests(rests),
    adopt: () => adopter({ ...options, home: home.path }),
    scaffold: async (path, draft) => (await import('../config/offline/create-city.ts')).createCity(path, draft),
    nameOf: async (path) => (await import('../config/offline/explain.ts')).declaredName(path, home.path),
    endSessions: (city) => endSessionsOf(host, city),
    onChange: () => logs.notifyChanged(),
    onOpened: (name) => void tokens.reconcile(name),
    onUnregister(tx, name) {
      tokens.forget(tx, name)
      history.forget(tx, name)
    },
  })
  return { tokens, logs, cities }
}

interface AdopterOptions extends Pick<Foundation, 'host' | 'clock' | 'deadlines' | 'report'> {
  home: string
}

/** Lets cities rest for which no host runs anything. */
async function adopter({ host, ...options }: AdopterOptions) {
  const { RestingCity } = await import('./resting-city.ts')
  const hosted = await host.list()
  return (city: Pick<Parameters<typeof RestingCity.adopt>[0], 'name' | 'path' | 'rest' | 'onNeeded'>) => {
    if (hosted.some(({ key }) => isKeyOf(key, city.name))) return undefined
    try {
      return RestingCity.adopt({ ...options, ...city })
    } catch {
      // Opening it tells what is wrong.
      return undefined
    }
  }
}

/** The dependencies that the supervisor gives every city. */
const cityDependencies = ({ options, home, listeners, findNetwork, ...rest }: RegistryOptions) => ({
  ...{ home: home.path, bin: join(home.bin, 'gc'), version: options.version, env: options.env },
  ...{ tokenRequirement: rest.tokenRequirement, defaultConfine: rest.defaultConfine },
  ...{ host: rest.host, confineTool: confineTool(options.program) },
  ...{ clock: rest.clock, deadlines: rest.deadlines, report: rest.report },
  url: () => listeners.url,
  network: findNetwork,
  publicUrl: () => listeners.public?.url,
})

type Stop = ConstructorParameters<typeof Supervisor>[0]['stop']

interface HandlersOptions extends Foundation, Confinement, Readonly<ReturnType<typeof openRegistry>> {
  listeners: Listeners
  network: ServedNetwork
  stop: Stop
}

interface Handlers {
  readonly main: RequestHandler
  /** The agents' network automatically. */
  readonly social: RequestHandler
  /** The handler for other machines: hooks and direct services. */
  readonly public: RequestHandler
  /** Loads what answers all but `/health`. */
  load(): Promise<unknown>
}

function createHandlers(options: HandlersOptions): Handlers {
  const { cities, tokens, network, listeners, clock, deadlines, writer, report, options: settings } = options
  const processTokens = new ProcessTokens({ city: '', url: () => listeners.url })
  const operatorToken = options.home.operatorToken()
  const account = settings.env.USER || settings.env.LOGNAME || undefined
  const people = new People({ store: options.store, log: options.log, clock, account })
  const callers = new Callers({ operatorToken, account, people, cities, tokens, processTokens, deadlines })
  const guard = guardSettings(settings, options.tokenRequirement, callers)
  const requests = new RequestMetrics()
  const gc = createSupervisor(options, people)
  const plane = {
    ...{ gc, guard, clock, deadlines, writer, report, metrics: requests },
    replays: new Replays(options.store, clock),
  }
  const api = memoize(async () => {
    const { createApi } = await import('./api.ts')
    return createApi({ ...options, plane, processTokens, env: settings.env, isReadOnly: settings.readOnly })
  })
  const main = new LateHandler(api, ({ main }) => main, createSupervisorPlane(plane, { routes: [healthRoute(gc)] }))
  return {
    main: createApp({ supervisor: main, network: isNetworkShared(settings) ? network.handler : notFoundHandler }),
    social: network.handler,
    public: new LateHandler(api, (loaded) => loaded.public),
    load: api,
  }
}

function createSupervisor(options: HandlersOptions, people: People): Supervisor {
  const { cities, host, store, network, clock, logs: eventLogs, stop, options: settings } = options
  const { version, build } = settings
  return new Supervisor({
    ...{ cities, eventLogs, host, people, clock, version, build, stop },
    storeProblem: () => store.problem,
    networkProblem: () => network.problem,
  })
}

/** Listens for the API, then for the network and other machines where they have addresses of their own. */
async function listen(
  handlers: Handlers,
  listeners: Listeners,
  { options, deadlines, report: print }: Foundation,
  resources: AsyncDisposableStack,
): Promise<void> {
  const { host, port, social, public: open } = options
  const report = (error: unknown) => print(stackOf(error))
  const listening = await listenWithRetry(handlers.main, { host, port, deadlines, report, anySize: true })
  resources.defer(() => listening.stop())
  listeners.main = listening
  if (social) {
    const own = await listenWithRetry(handlers.social, { ...social, deadlines, report })
    resources.defer(() => own.stop())
    listeners.social = own
  }
  if (open) {
    const shown = await listenPublicly(open, handlers.public, { deadlines, report })
    resources.defer(() => shown.stop())
    listeners.public = shown
  }
}

/** The file in which other processes find this supervisor. */
const publishedAddress = ({ home, build }: Foundation, url: string, social: string | undefined): Service => ({
  start: () => home.writeAddress({ url, pid: process.pid, build, ...(social !== undefined && { social }) }),
  stop: () => home.removeAddress(),
})

interface StopRequest {
  endSessions: boolean
  signal?: string
  /** Requester; absent for a signal. */
  actor?: Actor
}

function running(
  { url, socialUrl, isNetworkServed, publicUrl, store, log, cities, host, stopping, reportError }: StartResult,
  resources: AsyncDisposableStack,
): Running {
  const end = async ({ endSessions, signal, actor = SUPERVISOR }: StopRequest) => {
    const mode = endSessions ? 'destructive' : 'preserve_sessions'
    const facts = { source: signal ? 'signal' : 'socket_stop', mode, ...(signal !== undefined && { signal }) } as const
    await store.write((tx) => void log.append(tx, SupervisorShutdownRequested, {}, facts), actor).catch(reportError)
    await cities.close({ endSessions }).catch(reportError)
    if (endSessions) await host.shutdown().catch(reportError)
    await resources.disposeAsync()
  }
  const ended = stopping.promise.then(end).catch(reportError)
  return {
    ...{ url, socialUrl, isNetworkServed, publicUrl, ended },
    stop(how) {
      stopping.resolve(how)
      return ended
    },
  }
}

/** Ends the sessions that still run for a city that could not be opened. */
async function endSessionsOf(host: SessionHost, city: string): Promise<void> {
  const hosted = await host.list()
  await Promise.all(hosted.filter(({ key }) => isKeyOf(key, city)).map(({ key }) => host.end(key)))
}

const LAST_RUN = query<{ id: number; ended_at: number | null }>(
  'SELECT id, ended_at FROM runs ORDER BY id DESC LIMIT 1',
)
const ADD_RUN = command<[number], { id: number }>('INSERT INTO runs (started_at) VALUES (?) RETURNING id')
const DELETE_RUN = command<[number]>('DELETE FROM runs WHERE id = ?')
const RECORD_END = command<[number, number]>('UPDATE runs SET ended_at = ? WHERE id = ?')
const RAN_UNCONFINED = query<object>('SELECT 1 FROM cities WHERE ran_unconfined IS NOT NULL LIMIT 1')
const FORGET_UNCONFINED = command('UPDATE cities SET ran_unconfined = NULL WHERE ran_unconfined IS NOT NULL')

/** Records each run of the supervisor with its end; one without an end crashed. */
class RunHistory {
  #id: number | undefined

  constructor(private readonly options: Pick<Foundation, 'store' | 'log' | 'clock'>) {}

  /** Records the start, with how the run before it ended. */
  async start(): Promise<void> {
    const { store, log } = this.options
    const previous_exit = await store.write((tx) => this.#begin(tx))
    await store.write((tx) => void log.append(tx, SupervisorStarted, {}, { previous_exit }), SUPERVISOR)
  }

  async stop(): Promise<void> {
    const { store, clock } = this.options
    const id = this.#id
    if (id === undefined) return
    await store.write((tx) => void tx.run(RECORD_END, clock.now(), id))
  }

  #begin(tx: Tx): 'clean' | 'crash' | 'unknown' {
    const last = tx.get(LAST_RUN)
    this.#id = tx.get(ADD_RUN, this.options.clock.now())?.id
    if (last) tx.run(DELETE_RUN, last.id)
    if (!last) return 'unknown'
    return last.ended_at === null ? 'crash' : 'clean'
  }
}

/** Default sandbox of agents that declare none, and whether every caller needs a token from the first request on. */
async function beginConfinement({ options, home, store, host, report }: Foundation): Promise<{
  tokenRequirement: TokenRequirement
  defaultConfine: ConfineMode
}> {
  const tokenRequirement = new TokenRequirement({ wanted: options.requireToken, mark: home.confinedMark, report })
  const hosts = await host.status()
  if (hosts.every(({ sessions }) => sessions === 0)) tokenRequirement.forget()
  await keepAsBefore(home.path, store, report)
  const defaultConfine = readDefaultMode(home.path)
  if (defaultConfine !== 'off') tokenRequirement.demand('agents are sandboxed by default')
  return { tokenRequirement, defaultConfine }
}

/**
 * The first start of a home whose cities ran before sessions were confined by default lets them continue and reports
 * it.
 */
async function keepAsBefore(home: string, store: Store, report: (message: string) => void): Promise<void> {
  if (!store.get(RAN_UNCONFINED)) return
  if (readSaidMode(home).mode === undefined) {
    keepUnconfined(home)
    const { what, remedy } = KEPT_UNCONFINED
    report(
      `${what}: sessions are confined by default now, and ${home}/supervisor.toml says [confine] default = "off" since its cities are older; ${remedy}`,
    )
  }
  await store.write((tx) => void tx.run(FORGET_UNCONFINED))
}

/** Address of hooks and direct services for other machines. */
interface PublicListen {
  readonly host: string
  readonly port: number
  /** The addresses under which others know it, such as that of a tunnel or proxy before it; the first is shown. */
  readonly urls: readonly string[]
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The address to show of a public listener: the first that was given, else that of its socket. */
const publicUrlOf = ({ urls: [first] }: PublicListen, bound: string): string => (first ?? bound).replace(/\/+$/, '')

/** Serves requests that name a host of the public listener; everything else is answered as if nothing were there. */
function publicHandler({ host, urls }: PublicListen, handler: RequestHandler): RequestHandler {
  const names = new Set([host.toLowerCase(), ...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))])
  const isKnown = (name: string) => names.has(name) || (isLoopback(host) && isLoopback(name))
  return {
    fetch(request, server) {
      const name = parseHost(request.headers.get('host'))
      return (name !== undefined && isKnown(name) ? handler : notFoundHandler).fetch(request, server)
    },
    stop: () => handler.stop(),
  }
}

/** Opens the public listener. It takes no credential: anyone who comes through it is no one. */
async function listenPublicly(
  options: PublicListen,
  handler: RequestHandler,
  { deadlines, report }: Pick<ListenOptions, 'deadlines' | 'report'>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port, urls } = options
  if (urls.length === 0 && WILDCARDS.has(host)) {
    throw new AppError(
      'invalid-request',
      `${host} is not a name that others can use: add --public-url with the address they reach`,
    )
  }
  const listening = await listenWithRetry(publicHandler(options, handler), {
    host,
    port,
    deadlines,
    report,
    anySize: true,
  })
  return { url: publicUrlOf(options, listening.url), stop: () => listening.stop() }
}
