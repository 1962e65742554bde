import type { HistogramSnapshot } from './histogram.ts'
import type { Labels, Metric, Sample } from './metric.ts'

/** The content type of the text. */
export const METRICS_MEDIA = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in the text format of Prometheus. Those without a value are left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map((metric) => `${headOf(metric)}${linesOf(metric).join('')}`)
    .join('')
}

const headOf = ({ name, help, type }: Metric): string =>
  `# HELP ${name} ${help.replace(/[\\\n]/g, escapeCharacter)}\n# TYPE ${name} ${type}\n`

function linesOf(metric: Metric): string[] {
  if (metric.type === 'histogram') return metric.samples.flatMap((sample) => histogramLines(metric.name, sample))
  return metric.samples.map(({ labels, value }) => lineOf(metric.name, labels, value))
}

const histogramLines = (
  name: string,
  { labels, value: { buckets, sum, count } }: Sample<HistogramSnapshot>,
): string[] => [
  ...buckets.map(({ le, count: upTo }) => lineOf(`${name}_bucket`, { ...labels, le: String(le) }, upTo)),
  lineOf(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
  lineOf(`${name}_sum`, labels, sum),
  lineOf(`${name}_count`, labels, count),
]

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text.replace(/[\\\n"]/g, escapeCharacter)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escapeCharacter = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)
