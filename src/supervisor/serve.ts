import { join } from 'node:path'
import { Readiness } from '../agents/readiness/readiness.ts'
import { City } from '../city/city.ts'
import { Config } from '../config/config.ts'
import { scaffold } from '../config/scaffold.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/log.ts'
import { Retention } from '../core/events/retention.ts'
import { Lock } from '../core/lock.ts'
import { redact } from '../core/redact.ts'
import { Replays } from '../core/replays.ts'
import { Requests } from '../core/requests.ts'
import { Store } from '../core/store.ts'
import { connect } from '../host/client/client.ts'
import type { SessionHost } from '../host/client/contract.ts'
import { createApp, type Side } from '../http/app.ts'
import { isLoopback } from '../http/guard.ts'
import { nowhere } from '../http/nowhere.ts'
import { listenPatiently } from '../http/patient.ts'
import { createPlane, type Plane } from '../http/plane.ts'
import { allRoutes } from './all-routes.ts'
import { Callers } from './callers.ts'
import { Cities } from './cities.ts'
import { SupervisorShutdownRequested, SupervisorStarted } from './events.ts'
import { Home } from './home.ts'
import { Logs } from './logs.ts'
import { supervisorMigrations } from './migrations.ts'
import { openNetwork } from './network.ts'
import { Runs } from './runs.ts'
import { Supervisor } from './supervisor.ts'
import { traceOf } from './trace.ts'

export interface ServeOptions {
  /** `GC_HOME`; `~/.gc` when undefined. */
  home: string | undefined
  host: string
  /** 0 takes any free one. */
  port: number
  requireToken: boolean
  readOnly: boolean
  /** Where the agents' network answers when it has an address of its own. */
  social?: { host: string; port: number }
  /** Host names and origins beside the loopback ones. */
  allowHosts: readonly string[]
  allowOrigins: readonly string[]
  /** How this program is started: the binary, or bun and its entry. */
  program: readonly string[]
  version: string
  build: string | undefined
  /** What sessions inherit: PATH, HOME, locale and the like. */
  env: Readonly<Record<string, string | undefined>>
  report(message: string): void
  clock?: Clock
}

/** A supervisor that runs. */
export interface Running {
  readonly url: string
  /** Where the agents' network answers; undefined when it has no address it may use. */
  readonly socialUrl: string | undefined
  /** Resolves when it has ended, whoever asked for it. */
  readonly ended: Promise<void>
  /** Ends it; with `endSessions`, every session and the host first. Bounded in time. */
  stop(options: { endSessions: boolean; signal?: string }): Promise<void>
}

/** Brings up the supervisor of one `GC_HOME`: registry, host, cities, and the address it answers on. */
export async function serve(options: ServeOptions): Promise<Running> {
  if (!isLoopback(options.host) && !options.requireToken) {
    throw new AppError(
      'invalid-request',
      `${options.host} is reachable from other machines: start with --require-token, or listen on 127.0.0.1`,
    )
  }
  await using held = new AsyncDisposableStack()
  const report = (message: string) => options.report(redact(message))
  const started = await start({ ...options, report }, Home.open(options.home), held)
  return running(started, held.move())
}

type Started = Awaited<ReturnType<typeof start>>

/** Takes what it needs step by step; `held` gives it all back, last first, when a step fails or at the end. */
async function start(options: ServeOptions, home: Home, held: AsyncDisposableStack) {
  const { clock = systemClock, report, program } = options
  const fault = (error: unknown) => report(errorMessage(error))
  const lock = Lock.take(home.lock, `gc serve on ${options.host}:${options.port}`)
  held.defer(() => lock.release())
  const deadlines = new Deadlines(clock, undefined, fault)
  held.defer(() => deadlines.close())
  const store = Store.open(home.registry, supervisorMigrations, { onFailure: report, onError: fault })
  held.defer(() => store.close())
  const log = new EventLog(store, clock, deadlines)
  const retention = new Retention(store, log, clock, deadlines, fault)
  held.defer(() => retention.stop())
  home.link(program)
  const build = [options.version, options.build].filter(Boolean).join('-')
  const launch = [...program, 'host']
  const host = await connect({ home: home.path, launch, build, env: options.env, clock, deadlines, report })
  held.defer(() => host.close())

  const logs = new Logs(log, clock, () => cities.up())
  const cities = new Cities({
    store,
    log,
    requests: new Requests(store, log, clock),
    clock,
    open: (at) =>
      City.open({
        ...at,
        home: home.path,
        bin: join(home.bin, 'gc'),
        version: options.version,
        env: options.env,
        url: () => listening.url,
        host,
        clock,
        deadlines,
        report,
      }),
    scaffold,
    nameOf: async (path) => (await Config.open(path)).current.name,
    endSessions: (city) => endSessionsOf(host, city),
    changed: () => logs.changed(),
    report,
  })
  const stopping = Promise.withResolvers<Stopping>()
  const gc = new Supervisor({
    cities,
    logs,
    host,
    readiness: new Readiness({ clock, deadlines, env: options.env }),
    clock,
    version: options.version,
    build: options.build,
    stop: ({ endSessions }) => stopping.resolve({ endSessions }),
  })
  const callers = new Callers(home.operatorToken(), () => cities.up())
  const supervisor = planeOf(options, gc, callers, new Replays(store, clock), { clock, deadlines })
  const parts = { home, clock, deadlines, hosts: options.allowHosts, env: options.env, report }
  const network = orNowhere(() => openNetwork(parts, held), report)
  const shared = options.social === undefined && isLoopback(options.host)
  const app = createApp({ supervisor, network: shared ? network : nowhere })
  const trace = (error: unknown) => report(traceOf(error))
  const listening = await listenPatiently(app, { host: options.host, port: options.port, deadlines, report: trace })
  held.defer(() => listening.stop())
  const social = options.social && (await listenPatiently(network, { ...options.social, deadlines, report: trace }))
  if (social) held.defer(() => social.stop())

  const runs = new Runs(store, clock)
  const previous_exit = await runs.begin()
  held.defer(() => runs.end())
  await store.write((tx) => void log.append(tx, SupervisorStarted, { actor: 'gc' }, { previous_exit }))
  retention.start()
  const socialUrl = social?.url ?? (shared ? listening.url : undefined)
  home.announce({ url: listening.url, pid: process.pid, build, ...(socialUrl !== undefined && { social: socialUrl }) })
  held.defer(() => home.withdraw())
  cities.start().catch(fault)
  return {
    url: listening.url,
    socialUrl,
    store,
    log,
    cities,
    host,
    stopping,
    fault,
  }
}

interface Stopping {
  endSessions: boolean
  signal?: string
}

function running(
  { url, socialUrl, store, log, cities, host, stopping, fault }: Started,
  held: AsyncDisposableStack,
): Running {
  const end = async ({ endSessions, signal }: Stopping) => {
    const mode = endSessions ? 'destructive' : 'preserve_sessions'
    const facts = { source: signal ? 'signal' : 'socket_stop', mode, ...(signal !== undefined && { signal }) } as const
    await store.write((tx) => void log.append(tx, SupervisorShutdownRequested, { actor: 'gc' }, facts)).catch(fault)
    await cities.close({ endSessions }).catch(fault)
    if (endSessions) await host.shutdown().catch(fault)
    await held.disposeAsync()
  }
  const ended = stopping.promise.then(end).catch(fault)
  return {
    url,
    socialUrl,
    ended,
    stop(how) {
      stopping.resolve(how)
      return ended
    },
  }
}

function planeOf(
  options: ServeOptions,
  gc: Supervisor,
  callers: Callers,
  own: Replays,
  time: { clock: Clock; deadlines: Deadlines },
): Plane {
  return createPlane({
    ...time,
    info: {
      title: 'gc supervisor',
      version: '0.1.0',
      description: 'Cities of coding agents: their work, sessions, mail and live events.',
    },
    routes: allRoutes(gc),
    guard: {
      hosts: options.allowHosts,
      origins: options.allowOrigins,
      readOnly: options.readOnly,
      requireToken: options.requireToken,
      resolve: (token) => callers.resolve(token),
    },
    report: (error, { id, method, path }) => options.report(`${id} ${method} ${path}: ${traceOf(error)}`),
    index: ({ cityName }) => (cityName === undefined ? undefined : gc.cities.find(cityName)?.log.head),
    replays: ({ cityName }) => (cityName === undefined ? own : gc.cities.find(cityName)?.replays),
    until: ({ cityName = '' }, index, ms, signal) => news(gc.cities.running(cityName), time.clock, index, ms, signal),
  })
}

/** Waits for an event, or until work that was put off becomes ready, of which there is none. */
async function news({ log, sessions }: City, clock: Clock, index: number, ms: number, signal: AbortSignal) {
  const ready = sessions.parts.workload.nextDeferred() ?? Number.POSITIVE_INFINITY
  await log.until(index, Math.min(ms, Math.max(0, ready - clock.now())), signal)
}

/** A network that cannot be opened is told of, and harms no city. */
function orNowhere(open: () => Side, report: (message: string) => void): Side {
  try {
    return open()
  } catch (error) {
    report(`the agents' network is not served: ${errorMessage(error)}`)
    return nowhere
  }
}

/** Ends what a city that could not be opened still has running. */
async function endSessionsOf(host: SessionHost, city: string): Promise<void> {
  const hosted = await host.list()
  await Promise.all(hosted.filter(({ key }) => key.startsWith(`${city}/`)).map(({ key }) => host.end(key)))
}
