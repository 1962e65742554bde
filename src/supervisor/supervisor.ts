import type { Readiness } from '../agents/readiness/readiness.ts'
import type { Clock } from '../core/clock.ts'
import { AppError } from '../core/errors.ts'
import { everyTime, type Once } from '../core/replays.ts'
import type { Accepted } from '../core/requests.ts'
import type { SessionHost } from '../host/client/contract.ts'
import type { Caller } from '../http/caller.ts'
import type { AsyncAcceptedResponse, OKResponseBody } from '../http/schema.ts'
import { type Cities, type Keep, PHASES } from './cities.ts'
import type { Logs } from './logs.ts'
import type { HostStatus, Stop, SupervisorCities, SupervisorHealth, SupervisorStartup } from './schema.ts'

interface Parts {
  cities: Cities
  logs: Logs
  host: SessionHost
  readiness: Readiness
  clock: Clock
  version: string
  build: string | undefined
  /** Begins to end the supervisor; returns at once. */
  stop(options: { endSessions: boolean; source: 'signal' | 'socket_stop' }): void
}

/** What can be asked of the supervisor as a whole. */
export class Supervisor {
  readonly cities: Cities
  readonly logs: Logs
  readonly readiness: Readiness
  readonly #startedAt: number

  constructor(private readonly parts: Parts) {
    this.cities = parts.cities
    this.logs = parts.logs
    this.readiness = parts.readiness
    this.#startedAt = parts.clock.monotonic()
  }

  health(): SupervisorHealth {
    const cities = this.cities.list()
    const startup = startupOf(cities)
    return {
      status: 'ok',
      version: this.parts.version,
      ...(this.parts.build !== undefined && { build_id: this.parts.build }),
      uptime_sec: Math.floor((this.parts.clock.monotonic() - this.#startedAt) / 1000),
      cities_total: cities.length,
      cities_running: cities.filter(({ running }) => running).length,
      ...(startup && { startup }),
    }
  }

  list(): SupervisorCities {
    const items = this.cities.list()
    return { items, total: items.length }
  }

  /** Carries out a change to the registry and says where to read how it ended. */
  async accepted(
    caller: Caller,
    work: (keep: Keep) => Promise<Accepted>,
    once: Once = everyTime,
  ): Promise<AsyncAcceptedResponse> {
    refuseSession(caller, 'change which cities there are')
    const event_cursor = this.logs.cursor()
    const answer = ({ id }: Accepted) => ({ request_id: id, event_cursor })
    return answer(await work((tx, accepted) => void once(tx, answer(accepted))))
  }

  async hostStatus(): Promise<HostStatus> {
    const items = (await this.parts.host.status()).map(({ pid, build, sessions }) => ({ pid, build, sessions }))
    return { items, total: items.length }
  }

  requestStop(caller: Caller, { sessions = false }: Stop): OKResponseBody {
    refuseSession(caller, 'stop the supervisor')
    this.parts.stop({ endSessions: sessions, source: 'socket_stop' })
    return { status: 'stopping' }
  }
}

function refuseSession(caller: Caller, what: string): void {
  if (caller.kind === 'session') throw new AppError('forbidden', `forbidden: a session may not ${what}`)
}

/** How far the first city is, for those who wait for a start. */
function startupOf(cities: SupervisorCities['items']): SupervisorStartup | undefined {
  const [first] = cities
  if (!first) return undefined
  if (first.running) return { ready: true, phase: 'running', phases_completed: [...PHASES] }
  return {
    ready: false,
    ...(first.status !== undefined && { phase: first.status }),
    phases_completed: first.phases_completed ?? [],
  }
}
