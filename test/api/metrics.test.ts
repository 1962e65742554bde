import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseMetrics, type ScrapedMetric } from '../support/prometheus.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'
import { bead, declare, startSession, towns } from './town.ts'

const openTown = towns()

async function scrape(world: World): Promise<Map<string, ScrapedMetric>> {
  const { status, headers, body } = await world.call('GET /metrics', { token: world.operatorToken })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return parseMetrics(body)
}

/** The value of one series; undefined when it is not there. */
function read(metrics: Map<string, ScrapedMetric>, name: string, labels: Record<string, string> = {}) {
  const samples = [...metrics.values()].flatMap((metric) => metric.samples).filter((sample) => sample.name === name)
  return samples.find((sample) => Bun.deepEquals(sample.labels, labels))?.value
}

describe('GET /metrics', () => {
  test('counts the work, sessions and cities as they change', async () => {
    await using town = await openTown()
    const { world, city } = town
    const labels = { city: city.name }
    const before = await scrape(world)
    expect(read(before, 'gc_cities', { state: 'running' })).toBe(1)
    expect(read(before, 'gc_beads_ready', labels)).toBe(0)
    expect(read(before, 'gc_sessions_running', labels)).toBe(0)
    const [first, second] = [await bead(city, 'first'), await bead(city, 'second')]
    await city.call(`POST ~/bead/${first}/deps`, { body: { depends_on_id: second } })
    await bead(city, 'third')
    const closed = await bead(city, 'fourth')
    await city.call(`POST ~/bead/${closed}/close`)
    await declare(city, 'worker')
    await startSession(city, 'worker')
    const head = await city.head()
    const after = await scrape(world)
    expect(read(after, 'gc_beads', { ...labels, status: 'open' })).toBe(3)
    expect(read(after, 'gc_beads', { ...labels, status: 'closed' })).toBe(1)
    expect(read(after, 'gc_beads_ready', labels)).toBe(2)
    expect(read(after, 'gc_sessions', { ...labels, state: 'active' })).toBe(1)
    expect(read(after, 'gc_sessions_running', labels)).toBe(1)
    expect(read(after, 'gc_city_unreadable', labels)).toBe(0)
    expect(await city.recorded(head)).toEqual([])
  })

  test('counts requests by area, method and class of status, and the clients that follow events', async () => {
    await using town = await openTown()
    const { world, city } = town
    const requests = (metrics: Map<string, ScrapedMetric>, area: string, method: string, status: string) =>
      read(metrics, 'gc_http_requests_total', { area, method, status }) ?? 0
    const before = await scrape(world)
    await city.call('POST ~/beads', { body: { title: 'oil' }, headers: { 'Idempotency-Key': 'oil' } })
    await city.call('GET ~/bead/nothing')
    await city.call('GET ~/nothing')
    await world.call('GET /v0/cities', { token: 'gct_wrong' })
    const stop = new AbortController()
    const stream = await fetch(`${world.url}/v0/events/stream`, { signal: stop.signal })
    const after = await scrape(world)
    expect(requests(after, 'beads', 'POST', '2xx') - requests(before, 'beads', 'POST', '2xx')).toBe(1)
    expect(requests(after, 'beads', 'GET', '4xx') - requests(before, 'beads', 'GET', '4xx')).toBe(1)
    expect(requests(after, 'none', 'any', '4xx') - requests(before, 'none', 'any', '4xx')).toBe(2)
    expect(requests(after, 'metrics', 'GET', '2xx') - requests(before, 'metrics', 'GET', '2xx')).toBe(1)
    expect((read(after, 'gc_sse_streams') ?? 0) - (read(before, 'gc_sse_streams') ?? 0)).toBe(1)
    stop.abort()
    await stream.text().catch(() => {})
    const streams = async () => read(await scrape(world), 'gc_sse_streams')
    await eventually('the stream to end', 10_000, streams, (open) => open === read(before, 'gc_sse_streams'))
  })

  test('measures the writes of each store, in buckets that add up', async () => {
    await using town = await openTown()
    const { world, city } = town
    const labels = { store: 'city', city: city.name }
    const before = await scrape(world)
    await bead(city, 'oil')
    const after = await scrape(world)
    const count = (metrics: Map<string, ScrapedMetric>) =>
      read(metrics, 'gc_store_write_duration_seconds_count', labels) ?? 0
    expect(count(after)).toBeGreaterThan(count(before))
    expect(read(after, 'gc_store_write_failures_total', labels)).toBe(0)
    expect(read(after, 'gc_store_failed', { store: 'registry' })).toBe(0)
    const buckets = after
      .get('gc_store_write_duration_seconds')
      ?.samples.filter(({ name, labels: { city: of } }) => name.endsWith('_bucket') && of === city.name)
    const counts = buckets?.map(({ value }) => value) ?? []
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(buckets?.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: count(after) })
  })

  test('reports budgets, orders, runs and the network', async () => {
    await using town = await openTown()
    const { world, city } = town
    const budget = { scope: 'city', unit: 'tokens', per: 'day', limit: 5000 }
    expect((await city.call('PUT ~/budgets', { body: budget })).status).toBe(200)
    const metrics = await scrape(world)
    const labels = { city: city.name, scope: 'city', name: '', unit: 'tokens', per: 'day' }
    expect(read(metrics, 'gc_budget_limit', labels)).toBe(5000)
    expect(read(metrics, 'gc_budget_spent', labels)).toBe(0)
    expect(read(metrics, 'gc_orders_due', { city: city.name })).toBe(0)
    expect(read(metrics, 'gc_order_runs', { city: city.name, state: 'running' })).toBe(0)
    expect(read(metrics, 'gc_runs', { city: city.name, status: 'active' })).toBe(0)
    expect(read(metrics, 'gc_logins_held', { city: city.name, state: 'limited' })).toBe(0)
    expect(metrics.get('gc_network_posts')).toBeUndefined()
    const ofNetwork = { area: 'agents', method: 'POST', status: '2xx' }
    const joined = await fetch(`${world.url}/api/v1/agents/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'metered', description: 'counts' }),
    })
    expect(joined.ok).toBe(true)
    const later = await scrape(world)
    expect(read(later, 'gc_network_posts')).toBe(0)
    expect(later.get('gc_network_http_requests_total')?.samples).toMatchObject([{ labels: ofNetwork, value: 1 }])
    expect(read(later, 'gc_network_events_total', { type: 'agent.registered' })).toBe(1)
    expect(read(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
  })

  test('is for the operator: a session may not read it', async () => {
    await using town = await openTown()
    const { world, city } = town
    await declare(city, 'worker')
    const { token } = await startSession(city, 'worker')
    const denied = await world.call('GET /metrics', { token })
    expect([denied.status, denied.body.code]).toEqual([403, 'forbidden'])
  })

  test('asks for a token where the supervisor does', async () => {
    await using world = await World.open('--require-token')
    expect((await world.call('GET /metrics')).status).toBe(401)
    await scrape(world)
  })
})

/** Resource that a dashboard query names. */
interface Target {
  expr: string
  legendFormat: string
}

const { panels }: { panels: { title: string; targets?: Target[] }[] } = await Bun.file(
  join(import.meta.dir, '../../docs/grafana.json'),
).json()

describe('the dashboard in docs', () => {
  test('shows only metrics that are served, by labels that they have', async () => {
    await using town = await openTown()
    const { world, city } = town
    await bead(city, 'oil')
    await declare(city, 'worker')
    await city.call('POST ~/rigs', { body: { name: 'shop', path: world.rigFolder('shop') } })
    await declare(city, 'smith', {}, { dir: 'shop' })
    await startSession(city, 'worker')
    await city.call('PUT ~/budgets', { body: { scope: 'city', unit: 'usd', per: 'hour', limit: 1 } })
    await fetch(`${world.url}/api/v1/posts`)
    const samples = [...(await scrape(world)).values()].flatMap((metric) => metric.samples)
    const labelsOf = new Map<string, Set<string>>()
    for (const { name, labels } of samples) {
      labelsOf.set(name, new Set([...(labelsOf.get(name) ?? []), ...Object.keys(labels)]))
    }
    const targets = panels.flatMap((panel) => panel.targets ?? [])
    const unknown = targets.flatMap(({ expr, legendFormat }) => {
      const names = expr.match(/\b(?:gc|process)_\w+/g) ?? []
      const labels = [
        ...legendFormat.matchAll(/\{\{(\w+)\}\}/g),
        ...expr.matchAll(/(\w+)[=!]~?"/g),
        ...[...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = '']) => [...list.matchAll(/(\w+)/g)]),
      ].map(([, label = '']) => label)
      const missing = names.filter((name) => !labelsOf.has(name))
      const absent = labels.filter((label) => !names.every((name) => labelsOf.get(name)?.has(label)))
      return [...(names.length === 0 ? [expr] : []), ...missing, ...absent.map((label) => `${label} in ${expr}`)]
    })
    expect(unknown).toEqual([])
    expect(targets.length).toBeGreaterThan(20)
  })

  test('shows every metric but the version and when the supervisor was started', async () => {
    await using town = await openTown()
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
    const names = [...(await scrape(town.world)).keys()].filter(
      (name) => !new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(shown),
    )
    expect(names).toEqual(['gc_build_info', 'process_start_time_seconds'])
  })
})
