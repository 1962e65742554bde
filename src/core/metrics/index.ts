export { DurationHistogram, type HistogramSnapshot } from './histogram.ts'
export { type Labels, type Metric, merge, type NumberMetric, type Sample, samplesBy, withLabels } from './metric.ts'
export { METRICS_MEDIA, metricsText } from './text.ts'
