import type { City } from '../city/city.ts'
import { cityMetrics } from '../city/metrics.ts'
import type { Deadlines } from '../core/deadlines.ts'
import {
  DurationHistogram,
  type Labels,
  type Metric,
  merge,
  metricsText,
  type NumberMetric,
  samplesBy,
  withLabels,
} from '../core/metrics/index.ts'
import type { Store } from '../core/store/index.ts'
import type { RequestMetrics } from '../http/request-metrics.ts'
import type { NetworkStats } from '../social/network/index.ts'
import type { Cities } from './cities.ts'
import { PHASES } from './city-entry.ts'
import type { RestingCity } from './resting-city.ts'
import type { CityInfo } from './schema.ts'

type MeasuredStore = Pick<Store, 'problem'> & { metrics: Pick<Store['metrics'], 'writes' | 'failures'> }

interface MetricsDependencies {
  cities: Pick<Cities, 'list' | 'listRunning' | 'listResting'>
  /** The registry. */
  store: MeasuredStore
  deadlines: Pick<Deadlines, 'lateness'>
  requests: RequestMetrics
  version: string
  network(): {
    readonly requests: RequestMetrics
    stats(): Promise<NetworkStats | undefined>
    /** Number of events of each type it recorded since it that was opened. */
    events(): ReadonlyMap<string, number>
  }
  report(error: unknown): void
}

/** Metrics of the supervisor for Prometheus. */
export class Metrics {
  constructor(private readonly dependencies: MetricsDependencies) {}

  async text(): Promise<string> {
    const { cities } = this.dependencies
    const running = cities.listRunning().sort((a, b) => (a.name < b.name ? -1 : 1))
    return metricsText([
      ...this.#processMetrics(),
      ...this.#requestMetrics(),
      {
        name: 'gc_cities',
        help: 'Cities by state.',
        type: 'gauge',
        samples: samplesBy('state', stateCounts(cities.list())),
      },
      ...this.#storeMetrics(running),
      ...merge([...running.flatMap((city) => this.#metricsOf(city)), ...cities.listResting().flatMap(metricsAtRest)]),
      ...(await this.#networkMetrics()),
    ])
  }

  /** The metrics of a city; those of one whose store cannot be read are left out. */
  #metricsOf(city: City): NumberMetric[] {
    const labels = { city: city.name }
    try {
      return [...cityMetrics(city), unreadable(0)].map((metric) => withLabels(metric, labels))
    } catch (error) {
      this.dependencies.report(error)
      return [withLabels(unreadable(1), labels)]
    }
  }

  #processMetrics(): Metric[] {
    const { version, deadlines } = this.dependencies
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    return [
      { name: 'gc_build_info', help: 'The version of gc; always 1.', ...gauge(1, { version }) },
      { name: 'process_resident_memory_bytes', help: 'Memory of the supervisor.', ...gauge(rss) },
      { name: 'gc_heap_used_bytes', help: 'Memory of the supervisor that its objects take.', ...gauge(heapUsed) },
      {
        name: 'process_cpu_seconds_total',
        help: 'Processor time of the supervisor.',
        type: 'counter',
        samples: [{ labels: {}, value: (user + system) / 1e6 }],
      },
      {
        name: 'process_start_time_seconds',
        help: 'Start time of the supervisor, in seconds since 1970.',
        ...gauge(performance.timeOrigin / 1000),
      },
      {
        name: 'gc_event_loop_lag_seconds',
        help: 'Delay of the timers of the supervisor, caused by other work.',
        type: 'histogram',
        samples: [{ labels: {}, value: deadlines.lateness.snapshot() }],
      },
    ]
  }

  #requestMetrics(): Metric[] {
    const { requests } = this.dependencies
    return [
      {
        name: 'gc_http_requests_total',
        help: 'Responses of the supervisor by area of its operations, method and class of status; the area none is of requests that reached no operation.',
        type: 'counter',
        samples: requests.samples(),
      },
      { name: 'gc_sse_streams', help: 'Clients that follow server-sent events.', ...gauge(requests.streams) },
    ]
  }

  #storeMetrics(running: readonly City[]): Metric[] {
    const resting = this.dependencies.cities.listResting()
    const stores = [
      { labels: { store: 'registry' }, store: this.dependencies.store },
      ...[...running, ...resting.map(({ name }) => ({ name, store: UNUSED }))].map(({ name, store }) => ({
        labels: { store: 'city', city: name },
        store,
      })),
    ]
    return [
      {
        name: 'gc_store_write_duration_seconds',
        help: 'Duration of writes, from the request until they are on disk.',
        type: 'histogram',
        samples: stores.map(({ labels, store }) => ({ labels, value: store.metrics.writes() })),
      },
      {
        name: 'gc_store_write_failures_total',
        help: 'Writes that a store rejected.',
        type: 'counter',
        samples: stores.map(({ labels, store }) => ({ labels, value: store.metrics.failures })),
      },
      {
        name: 'gc_store_failed',
        help: '1 if the writes to a store fail, else 0.',
        type: 'gauge',
        samples: stores.map(({ labels, store }) => ({ labels, value: store.problem === undefined ? 0 : 1 })),
      },
    ]
  }

  async #networkMetrics(): Promise<Metric[]> {
    const network = this.dependencies.network()
    const stats = await network.stats()
    if (!stats) return []
    const { total_agents, verified_agents, total_submolts, total_posts, total_comments } = stats
    return [
      { name: 'gc_network_agents', help: 'Agents on the network.', ...gauge(total_agents) },
      { name: 'gc_network_claimed_agents', help: 'Agents on the network with an owner.', ...gauge(verified_agents) },
      { name: 'gc_network_submolts', help: 'Communities on the network.', ...gauge(total_submolts) },
      { name: 'gc_network_posts', help: 'Posts on the network.', ...gauge(total_posts) },
      { name: 'gc_network_comments', help: 'Comments on the network.', ...gauge(total_comments) },
      {
        name: 'gc_network_events_total',
        help: 'Events on the network since the supervisor was started, by type: post.created, post.voted.',
        type: 'counter',
        samples: samplesBy('type', [...network.events()]),
      },
      {
        name: 'gc_network_http_requests_total',
        help: 'Responses of the API of the network by area of its operations, method and class of status.',
        type: 'counter',
        samples: network.requests.samples(),
      },
    ]
  }
}

/** The store of a city that rests: it takes no writes. */
const UNUSED: MeasuredStore = {
  metrics: { writes: () => new DurationHistogram().snapshot(), failures: 0 },
  problem: undefined,
}

/** The metrics of a city that rests: as they were when it was closed, since nothing changed. */
const metricsAtRest = ({ name, rest }: RestingCity): NumberMetric[] =>
  [...rest.metrics, unreadable(0)].map((metric) => withLabels(metric, { city: name }))

const gauge = (value: number, labels: Labels = {}) => ({ type: 'gauge' as const, samples: [{ labels, value }] })

const unreadable = (value: 0 | 1): NumberMetric => ({
  name: 'gc_city_unreadable',
  help: '1 if the metrics of a city could not be read and are left out.',
  ...gauge(value),
})

const STATES = ['starting', 'running', 'failed', 'stopping', 'stopped'] as const

function stateCounts(cities: readonly CityInfo[]): [string, number][] {
  const states = cities.map(stateOf)
  return STATES.map((state) => [state, states.filter((each) => each === state).length])
}

function stateOf({ running, status, error }: CityInfo): (typeof STATES)[number] {
  if (running) return error === undefined ? 'running' : 'failed'
  if (status === 'stopping' || status === 'stopped') return status
  return PHASES.some((phase) => phase === status) ? 'starting' : 'failed'
}
