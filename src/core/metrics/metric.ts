import type { HistogramSnapshot } from './histogram.ts'

export type Labels = Readonly<Record<string, string>>

/** One value of a metric; its labels tell it from the others. */
export interface Sample<Value = number> {
  readonly labels: Labels
  readonly value: Value
}

interface Described {
  readonly name: string
  /** A sentence on what is counted. */
  readonly help: string
}

/** A value that only grows until the supervisor ends, and one that goes up and down. */
export interface NumberMetric extends Described {
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly Sample[]
}

export interface HistogramMetric extends Described {
  readonly type: 'histogram'
  readonly samples: readonly Sample<HistogramSnapshot>[]
}

export type Metric = NumberMetric | HistogramMetric

/** The samples of counts by the value of one label. */
export const samplesBy = (label: string, counts: Iterable<readonly [string, number]>): Sample[] =>
  Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }))

/** A metric with more labels on every sample. */
export const withLabels = (metric: NumberMetric, more: Labels): NumberMetric => ({
  ...metric,
  samples: metric.samples.map(({ labels, value }) => ({ labels: { ...more, ...labels }, value })),
})

/** The metrics of several sources, the samples of one name together. */
export function merge(metrics: readonly NumberMetric[]): NumberMetric[] {
  const byName = new Map<string, NumberMetric>()
  for (const metric of metrics) {
    const samples = byName.get(metric.name)?.samples ?? []
    byName.set(metric.name, { ...metric, samples: [...samples, ...metric.samples] })
  }
  return [...byName.values()]
}
