import { LOCK_FILE } from '../config/packs/index.ts'
import type { Actor } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { sha256 } from '../core/digest.ts'
import type { AcceptedRequest } from '../core/requests/index.ts'
import type { SessionHost } from '../host/client/index.ts'
import { actorOf } from '../http/actor-of.ts'
import type { Caller } from '../http/caller.ts'
import type { AsyncAcceptedResponse, OKResponseBody } from '../http/schema.ts'
import type { Cities, OnAccept } from './cities.ts'
import { PHASES } from './city-entry.ts'
import type { EventLogs } from './event-logs.ts'
import type { People } from './people/index.ts'
import type { HostStatus, Stop, SupervisorCities, SupervisorHealth, SupervisorStartup } from './schema.ts'

interface SupervisorDependencies {
  cities: Cities
  eventLogs: EventLogs
  host: SessionHost
  people: People
  clock: Clock
  version: string
  build: string | undefined
  /** Reason writes to the registry fail; undefined while they succeed. */
  storeProblem(): string | undefined
  /** Reason writes to the network fail; undefined while they succeed, and without a network. */
  networkProblem(): string | undefined
  /** Begins to stop the supervisor; returns immediately. */
  stop(options: { endSessions: boolean; source: 'signal' | 'socket_stop'; actor: Actor }): void
}

/** The operations on the supervisor as a whole. */
export class Supervisor {
  readonly cities: Cities
  readonly eventLogs: EventLogs
  readonly people: People
  readonly version: string
  readonly #startedAt: number

  constructor(private readonly dependencies: SupervisorDependencies) {
    this.cities = dependencies.cities
    this.eventLogs = dependencies.eventLogs
    this.people = dependencies.people
    this.version = dependencies.version
    this.#startedAt = dependencies.clock.monotonic()
  }

  /** The state of all cities together, or of one. */
  health(only?: string): SupervisorHealth {
    const cities = this.#list(only)
    const startup = startupOf(cities)
    return {
      status: this.#failure(cities) ?? 'ok',
      version: this.version,
      ...(this.dependencies.build !== undefined && { build_id: this.dependencies.build }),
      uptime_sec: Math.floor((this.dependencies.clock.monotonic() - this.#startedAt) / 1000),
      cities_total: cities.length,
      cities_running: cities.filter(({ running }) => running).length,
      ...this.#packsLock(only),
      ...(startup && { startup }),
    }
  }

  /** The fingerprint of what the packs of the running cities are locked to; that of the file when there is one. */
  #packsLock(only: string | undefined): Pick<SupervisorHealth, 'packs_lock_sha256'> {
    const open = this.cities.listRunning().map(({ name, config }) => {
      return { name, lock: config.composition.files.city.text(LOCK_FILE) }
    })
    const resting = this.cities.listResting().map(({ name, rest }) => ({ name, lock: rest.packsLock }))
    const running = [...open, ...resting].filter(({ name }) => only === undefined || name === only)
    const cities = running.sort((a, b) => (a.name < b.name ? -1 : 1))
    const locks = cities.flatMap(({ lock }) => lock ?? [])
    if (locks.length === 0) return {}
    return { packs_lock_sha256: sha256(locks.join('')) }
  }

  /** The stores whose writes fail, with the reasons. */
  #failure(cities: SupervisorCities['items']): string | undefined {
    const failed = cities.filter(({ running, error }) => running && error !== undefined)
    const { storeProblem, networkProblem } = this.dependencies
    const reasons = [storeProblem(), networkProblem(), ...failed.map(({ error }) => error)].filter(Boolean)
    return reasons.length > 0 ? `failed: ${reasons.join('; ')}` : undefined
  }

  list(only?: string): SupervisorCities {
    const items = this.#list(only)
    return { items, total: items.length }
  }

  #list(only: string | undefined): SupervisorCities['items'] {
    return this.cities.list().filter(({ name }) => only === undefined || name === only)
  }

  /** Runs a change to the registry and returns where its outcome can be read. */
  async accept(change: (onAccept: OnAccept) => Promise<AcceptedRequest>): Promise<AsyncAcceptedResponse> {
    const event_cursor = this.eventLogs.cursor()
    const toResponse = ({ id }: AcceptedRequest) => ({ request_id: id, event_cursor })
    return toResponse(await change((tx, accepted) => void tx.answer(toResponse(accepted))))
  }

  async hostStatus(): Promise<HostStatus> {
    const hosts = await this.dependencies.host.status()
    const items = hosts.map(({ pid, build, sessions, noCgroup, noShare }) => ({
      ...{ pid, build, sessions },
      ...(noCgroup && { no_cgroup: noCgroup }),
      ...(noShare && { no_share: noShare }),
    }))
    return { items, total: items.length }
  }

  stop(caller: Caller, { sessions = false }: Stop): OKResponseBody {
    this.dependencies.stop({ endSessions: sessions, source: 'socket_stop', actor: actorOf(caller) })
    return { status: 'stopping' }
  }
}

/** Startup phase of the first city that is not stopped. */
function startupOf(cities: SupervisorCities['items']): SupervisorStartup | undefined {
  const first = cities.find(({ status }) => status !== 'stopped' && status !== 'stopping')
  if (!first) return undefined
  if (first.running) return { ready: true, phase: 'running', phases_completed: [...PHASES] }
  return {
    ready: false,
    ...(first.status !== undefined && { phase: first.status }),
    phases_completed: first.phases_completed ?? [],
  }
}
