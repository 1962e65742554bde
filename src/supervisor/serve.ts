import { join } from 'node:path'
import { desc, eq, isNotNull } from 'drizzle-orm'
import { Readiness } from '../agents/readiness/readiness.ts'
import { openCity } from '../city/city.ts'
import { SupervisorShutdownRequested, SupervisorStarted } from '../city/events/supervisor-events.ts'
import { checkoutsFolder } from '../config/compose/packs/locate.ts'
import { KEPT_UNCONFINED, keepUnconfined, readDefaultMode, readSaidMode } from '../config/confinement/default-mode.ts'
import type { ConfineMode } from '../config/declare/confine.ts'
import { createCity } from '../config/offline/create-city.ts'
import { declaredName } from '../config/offline/explain.ts'
import { removeAbandonedFetches } from '../config/packs/abandoned-fetches.ts'
import { withServices } from '../connect/services/proxy/handler.ts'
import { ServiceProxy } from '../connect/services/proxy/proxy.ts'
import { withWebhooks } from '../connect/webhooks/handler.ts'
import { type Actor, gcPart } from '../core/actor.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { collectAfterStart } from '../core/collect-after-start.ts'
import { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/log.ts'
import { EventRetention } from '../core/events/retention.ts'
import { Lock } from '../core/lock.ts'
import { Replays } from '../core/replays/replays.ts'
import { Requests } from '../core/requests/requests.ts'
import { troubleReporter } from '../core/store/failure.ts'
import { Store } from '../core/store/store.ts'
import { connectToHosts } from '../host/client/host-client.ts'
import type { SessionHost } from '../host/client/session-host.ts'
import { confineTool } from '../host/confine/start/confined-tool.ts'
import { isKeyOf } from '../host/protocol/keys.ts'
import { createApp, type RequestHandler } from '../http/app.ts'
import { isLoopback, parseHost } from '../http/authority.ts'
import { redactLine } from '../http/credentials.ts'
import type { GuardSettings } from '../http/guard.ts'
import type { ListenOptions } from '../http/listen.ts'
import { listenWithRetry } from '../http/listen-with-retry.ts'
import { notFoundHandler } from '../http/not-found.ts'
import { ProcessTokens } from '../http/process-tokens.ts'
import { RequestMetrics } from '../http/request-metrics.ts'
import { ResponseWriter } from '../http/respond/response-writer.ts'
import { accessPolicy } from './access.ts'
import { Callers } from './callers.ts'
import { Cities } from './cities.ts'
import { CityHistory } from './city-history.ts'
import { EventLogs } from './event-logs.ts'
import { Home } from './home.ts'
import { Metrics } from './metrics.ts'
import { supervisorMigrations } from './migrations.ts'
import { ServedNetwork } from './served-network.ts'
import { stackOf } from './stack.ts'
import { Supervisor } from './supervisor.ts'
import { createSupervisorPlane, guardSettings } from './supervisor-plane.ts'
import { cities, runs } from './table.ts'
import { TokenRegistry } from './token-registry.ts'
import { TokenRequirement } from './token-requirement.ts'

const SUPERVISOR = gcPart('supervisor')

export interface ServeOptions {
  /** `GC_HOME`; `~/.gc` when undefined. */
  home: string | undefined
  host: string
  /** 0 takes any free one. */
  port: number
  /** Undefined asks everybody for a token once something is to be confined; false never does. */
  requireToken: boolean | undefined
  readOnly: boolean
  /** The agents' network, when it has an address of its own. */
  social?: { host: string; port: number }
  /** Where other machines reach hooks and direct services; nowhere when absent. */
  public?: PublicListen
  /** Host names and origins beside the loopback ones. */
  allowHosts: readonly string[]
  allowOrigins: readonly string[]
  /** The command that starts this program: the binary, or bun and its entry point. */
  program: readonly string[]
  version: string
  build: string | undefined
  /** What sessions inherit: PATH, HOME, locale and the like. */
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
  clock?: Clock
}

/** A running supervisor. */
export interface Running {
  readonly url: string
  /** The address of the agents' network; undefined when it has none. */
  readonly socialUrl: string | undefined
  /** Whether it could be opened, as far as that has been tried. */
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
  await using resources = new AsyncDisposableStack()
  const report = (message: string) => options.report(redactLine(message))
  const { GC_TOKEN: _, ...env } = options.env
  const started = await start({ ...options, env, report }, Home.open(options.home), resources)
  return running(started, resources.move())
}

type StartResult = Awaited<ReturnType<typeof start>>

/** Starts everything in order; `resources` releases it in the reverse order, at the end or when a step fails. */
async function start(options: ServeOptions, home: Home, resources: AsyncDisposableStack) {
  const { clock = systemClock, report, program } = options
  const reportError = (error: unknown) => report(errorMessage(error))
  const lock = Lock.acquire(home.lock, `gc serve on ${options.host}:${options.port}`)
  resources.defer(() => lock.release())
  const deadlines = new Deadlines(clock, undefined, reportError)
  resources.defer(() => deadlines.close())
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

  const { tokenRequirement, defaultConfine } = await beginConfinement({ ...options, home, store, host })
  const confine = confineTool(options.program)

  const findRunning = (name: string) => cities.findRunning(name)
  const tokens = new TokenRegistry({ store, clock, deadlines, report, findRunning })
  resources.defer(() => tokens.stop())
  const history = new CityHistory({ store, clock, report, stop: (name, error) => cities.abandon(name, error) })
  const logs = new EventLogs(log, clock, () => cities.listRunning())
  const cities = new Cities({
    store,
    log,
    requests: new Requests(store, log, clock),
    clock,
    open: (at) =>
      history.open(at, (hooks) =>
        openCity({
          ...at,
          ...hooks,
          tokenMirror: tokens.mirror(at.name),
          home: home.path,
          otherCities: () => cities.list().flatMap(({ name, path }) => (name === at.name ? [] : [path])),
          bin: join(home.bin, 'gc'),
          version: options.version,
          env: options.env,
          ...{ tokenRequirement, defaultConfine },
          url: () => listening.url,
          network: () => network.forCities,
          publicUrl: () => publicListener?.url,
          host,
          confineTool: confine,
          clock,
          deadlines,
          report,
        }),
      ),
    scaffold: createCity,
    nameOf: (path) => declaredName(path, home.path),
    endSessions: (city) => endSessionsOf(host, city),
    onChange: () => logs.notifyChanged(),
    onOpened: (name) => void tokens.reconcile(name),
    onUnregister(tx, name) {
      tokens.forget(tx, name)
      history.forget(tx, name)
    },
    report,
  })
  const processTokens = new ProcessTokens({ city: '', url: () => listening.url })
  const stopping = Promise.withResolvers<StopRequest>()
  const requestMetrics = new RequestMetrics()
  const metrics = new Metrics({
    ...{ cities, store, deadlines, version: options.version, requests: requestMetrics },
    network: () => network,
    report: reportError,
  })
  const gc = new Supervisor({
    cities,
    eventLogs: logs,
    host,
    readiness: new Readiness({ clock, deadlines, env: options.env, tokens: processTokens }),
    clock,
    metrics,
    ...{ version: options.version, build: options.build },
    ...{ storeProblem: () => store.problem, networkProblem: () => network.problem },
    stop: ({ endSessions, actor }) => stopping.resolve({ endSessions, actor }),
  })
  const callers = new Callers({ operatorToken: home.operatorToken(), cities, tokens, processTokens, deadlines })
  const writer = new ResponseWriter({ deadlines })
  const guard = guardSettings(options, tokenRequirement, callers)
  const replays = new Replays(store, clock)
  const addresses = new CityAddresses({ cities, clock, deadlines, report })
  const plane = createSupervisorPlane({
    ...{ gc, guard, replays, clock, deadlines, writer, report },
    metrics: requestMetrics,
  })
  const supervisor = addresses.before(plane, guard)
  const { allowHosts: hosts, allowOrigins: origins, env } = options
  const { host: networkHost } = options.social ?? options
  const listener = { host: networkHost, isOwn: options.social !== undefined, bound: () => social ?? listening }
  const networkDependencies = { home, clock, deadlines, listener, hosts, origins, env, report, writer }
  const network = await ServedNetwork.open(networkDependencies, resources)
  const shared = options.social === undefined && isLoopback(options.host)
  const hooks = {
    webhooksOf: (city: string) => cities.findRunning(city)?.webhooks,
    isClosed: (city: string) => cities.listClosed().some(({ name }) => name === city),
    isReadOnly: options.readOnly,
  }
  const app = createApp({
    supervisor: withWebhooks({ ...hooks, isPublic: false }, supervisor),
    network: shared ? network.handler : notFoundHandler,
  })
  const trace = (error: unknown) => report(stackOf(error))
  const { host: hostname, port } = options
  const listening = await listenWithRetry(app, { host: hostname, port, deadlines, report: trace, anySize: true })
  resources.defer(() => listening.stop())
  const social =
    options.social && (await listenWithRetry(network.handler, { ...options.social, deadlines, report: trace }))
  if (social) resources.defer(() => social.stop())
  const publicListener =
    options.public &&
    (await listenPublicly(
      options.public,
      withWebhooks({ ...hooks, isPublic: true }, addresses.before(notFoundHandler)),
      { deadlines, report: trace },
    ))
  if (publicListener) resources.defer(() => publicListener.stop())

  const runs = new RunHistory(store, clock)
  const previous_exit = await runs.begin()
  resources.defer(() => runs.end())
  await store.write((tx) => void log.append(tx, SupervisorStarted, {}, { previous_exit }), SUPERVISOR)
  retention.start()
  tokens.start().catch(reportError)
  const socialUrl = social?.url ?? (shared ? listening.url : undefined)
  network.announce(socialUrl)
  home.writeAddress({
    url: listening.url,
    pid: process.pid,
    build,
    ...(socialUrl !== undefined && { social: socialUrl }),
  })
  resources.defer(() => home.removeAddress())
  cities.openAll().catch(reportError)
  collectAfterStart(deadlines)
  return {
    url: listening.url,
    socialUrl,
    isNetworkServed: network.isServed,
    publicUrl: publicListener?.url,
    store,
    log,
    cities,
    host,
    stopping,
    reportError,
  }
}

interface StopRequest {
  endSessions: boolean
  signal?: string
  /** Who asked for it; absent for a signal. */
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

/** Records when each run of the supervisor ended; one without an end crashed. */
class RunHistory {
  #id: number | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Records the start of a run; returns how the one before it ended. */
  begin(): Promise<'clean' | 'crash' | 'unknown'> {
    return this.store.write((tx) => {
      const last = tx.orm.select().from(runs).orderBy(desc(runs.id)).limit(1).get()
      const row = tx.orm.insert(runs).values({ startedAt: this.clock.now() }).returning({ id: runs.id }).get()
      if (last) tx.orm.delete(runs).where(eq(runs.id, last.id)).run()
      this.#id = row.id
      if (!last) return 'unknown'
      return last.endedAt === null ? 'crash' : 'clean'
    })
  }

  async end(): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    await this.store.write(
      (tx) => void tx.orm.update(runs).set({ endedAt: this.clock.now() }).where(eq(runs.id, id)).run(),
    )
  }
}

interface CityAddressesOptions {
  cities: Pick<Cities, 'findRunning' | 'requireRunning'>
  clock: Clock
  deadlines: Deadlines
  report(message: string): void
}

/** The addresses of cities that are no operations: what comes to them is passed on as it is. */
class CityAddresses {
  readonly #proxy: ServiceProxy

  constructor(private readonly options: CityAddressesOptions) {
    this.#proxy = new ServiceProxy(options)
  }

  /** Answers at these addresses, and leaves others to `next`; without a guard, as other machines may see them. */
  before(next: RequestHandler, guard?: GuardSettings): RequestHandler {
    const { cities, report } = this.options
    return withServices(
      {
        proxy: this.#proxy,
        servicesOf: (city) => cities.requireRunning(city).services,
        ...(guard && { guard }),
        access: accessPolicy((city) => cities.findRunning(city)),
        report: (error) => report(stackOf(error)),
      },
      next,
    )
  }
}

interface BeginOptions {
  readonly home: Home
  readonly store: Store
  readonly host: Pick<SessionHost, 'status'>
  /** What the operator said of tokens; undefined where nothing was said. */
  readonly requireToken: boolean | undefined
  report(message: string): void
}

/** How agents are confined of which no line says it, and whether everybody is asked for a token from the first request on. */
async function beginConfinement({ home, store, host, requireToken, report }: BeginOptions): Promise<{
  tokenRequirement: TokenRequirement
  defaultConfine: ConfineMode
}> {
  const tokenRequirement = new TokenRequirement({ wanted: requireToken, mark: home.confinedMark, report })
  const hosts = await host.status()
  if (hosts.every(({ sessions }) => sessions === 0)) tokenRequirement.forget()
  await keepAsBefore(home.path, store, report)
  const defaultConfine = readDefaultMode(home.path)
  if (defaultConfine !== 'off') tokenRequirement.demand('agents are to be confined unless they say otherwise')
  return { tokenRequirement, defaultConfine }
}

/** The first start of a home whose cities ran before sessions were confined by default lets them go on, and says so. */
async function keepAsBefore(home: string, store: Store, report: (message: string) => void): Promise<void> {
  const marked = isNotNull(cities.ranUnconfined)
  const [first] = store.read((orm) => orm.select().from(cities).where(marked).limit(1).all())
  if (!first) return
  if (readSaidMode(home).mode === undefined) {
    keepUnconfined(home)
    const { what, remedy } = KEPT_UNCONFINED
    report(
      `${what}: sessions are confined by default now, and ${home}/supervisor.toml says [confine] default = "off" since its cities are older; ${remedy}`,
    )
  }
  await store.write((tx) => void tx.orm.update(cities).set({ ranUnconfined: null }).where(marked).run())
}

/** Where other machines reach hooks and direct services. */
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

/** Opens the public listener. It takes no credential: whoever comes through it is nobody. */
async function listenPublicly(
  options: PublicListen,
  handler: RequestHandler,
  { deadlines, report }: Pick<ListenOptions, 'deadlines' | 'report'>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port, urls } = options
  if (urls.length === 0 && WILDCARDS.has(host)) {
    throw new AppError(
      'invalid-request',
      `${host} is no name that others can use: add --public-url with the address they reach`,
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
