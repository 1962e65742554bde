import { expect, test } from 'bun:test'
import { DurationHistogram } from '../../../src/core/metrics/histogram.ts'
import { metricsText } from '../../../src/core/metrics/text.ts'
import { parseMetrics } from '../../support/prometheus.ts'

test('labels and help come back as they were, whatever characters are in them', () => {
  const name = 'a"b\\c\nd{e="f"},é'
  const text = metricsText([
    {
      name: 'lamps',
      help: 'Lamps\nthat \\ burn.',
      type: 'gauge',
      samples: [{ labels: { city: name, n: '' }, value: 1.5 }],
    },
    { name: 'nothing', help: 'Nothing.', type: 'gauge', samples: [] },
  ])
  expect(text).toStartWith('# HELP lamps Lamps\\nthat \\\\ burn.\n# TYPE lamps gauge\nlamps{')
  expect([...parseMetrics(text)]).toEqual([
    [
      'lamps',
      {
        type: 'gauge',
        help: 'Lamps\\nthat \\\\ burn.',
        samples: [{ name: 'lamps', labels: { city: name, n: '' }, value: 1.5 }],
      },
    ],
  ])
})

test('a histogram counts each duration in every bucket that it fits', () => {
  const histogram = new DurationHistogram()
  for (const milliseconds of [1, 3, 20_000]) histogram.observe(milliseconds)
  const text = metricsText([
    { name: 'wait', help: 'Waits.', type: 'histogram', samples: [{ labels: {}, value: histogram.snapshot() }] },
  ])
  const lines = text.split('\n')
  for (const line of ['wait_bucket{le="0.001"} 1', 'wait_bucket{le="0.005"} 2', 'wait_bucket{le="10"} 2']) {
    expect(lines).toContain(line)
  }
  expect(lines.slice(-4)).toEqual(['wait_bucket{le="+Inf"} 3', 'wait_sum 20.004', 'wait_count 3', ''])
})
