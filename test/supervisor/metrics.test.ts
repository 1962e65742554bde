import { expect, test } from 'bun:test'
import { DurationHistogram } from '../../src/core/metrics/histogram.ts'
import { RequestMetrics } from '../../src/http/request-metrics.ts'
import { Metrics } from '../../src/supervisor/metrics.ts'
import { scriptedTown } from '../support/city.ts'
import { parseMetrics } from '../support/prometheus.ts'

test('a city that cannot be read leaves the metrics of the others, and is reported', async () => {
  await using well = scriptedTown()
  await using ill = scriptedTown()
  const [open, closed] = [await well.open({ name: 'well' }), await ill.open({ name: 'ill' })]
  await closed.close({ endSessions: false })
  const reported: unknown[] = []
  const metrics = new Metrics({
    cities: { list: () => [], listRunning: () => [open, closed], listResting: () => [] },
    store: open.store,
    deadlines: { lateness: new DurationHistogram() },
    requests: new RequestMetrics(),
    version: '1',
    network: () => ({ requests: new RequestMetrics(), stats: async () => undefined, events: () => new Map() }),
    report: (error) => reported.push(error),
  })
  const scraped = parseMetrics(await metrics.text())
  const ofCities = (name: string) => scraped.get(name)?.samples.map(({ labels, value }) => [labels.city, value])
  expect(ofCities('gc_city_unreadable')).toEqual([
    ['ill', 1],
    ['well', 0],
  ])
  expect(ofCities('gc_beads_ready')).toEqual([['well', 0]])
  expect(scraped.has('gc_network_posts')).toBe(false)
  expect(reported).toHaveLength(1)
})
