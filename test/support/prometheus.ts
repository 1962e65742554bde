/** One sample of a scrape. */
export interface ScrapedSample {
  name: string
  labels: Record<string, string>
  value: number
}

/** A metric of a scrape: a histogram has the samples of its buckets, sum and count. */
export interface ScrapedMetric {
  type: string
  help: string
  samples: ScrapedSample[]
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const SUFFIXES: Record<string, RegExp> = { histogram: /_(bucket|sum|count)$/, counter: /(?!)/, gauge: /(?!)/ }

/** Reads the text format 0.0.4 as strictly as Prometheus does, and more: HELP and TYPE stand before what they are about. */
export function parseMetrics(text: string): Map<string, ScrapedMetric> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const metrics = new Map<string, ScrapedMetric>()
  const series = new Set<string>()
  let [current, name] = [undefined as ScrapedMetric | undefined, '']
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, of = '', rest = ''] = HEAD.exec(line) ?? []
    if (keyword === 'HELP') {
      if (metrics.has(of)) throw new Error(`${of} is described twice`)
      ;[current, name] = [{ type: '', help: rest, samples: [] }, of]
      metrics.set(of, current)
    } else if (!current) {
      throw new Error(`nothing says what this is: ${line}`)
    } else if (keyword === 'TYPE') {
      if (of !== name || current.type !== '' || !(rest in SUFFIXES)) throw new Error(`unexpected: ${line}`)
      current.type = rest
    } else {
      const sample = parseSample(line)
      if (sample.name.replace(SUFFIXES[current.type] ?? /(?!)/, '') !== name) throw new Error(`not of ${name}: ${line}`)
      const key = line.slice(0, line.lastIndexOf(' '))
      if (series.has(key)) throw new Error(`${key} is there twice`)
      series.add(key)
      current.samples.push(sample)
    }
  }
  return metrics
}

function parseSample(line: string): ScrapedSample {
  const [, name = '', pairs = '', number = ''] = SAMPLE.exec(line) ?? []
  const value = Number(number.replace('+Inf', 'Infinity'))
  if (name === '' || number === '' || Number.isNaN(value)) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  let end = 0
  while (end < pairs.length) {
    LABEL.lastIndex = end
    const [all = '', label = '', text = ''] = LABEL.exec(pairs) ?? []
    if (all === '' || label in labels) throw new Error(`no labels: ${line}`)
    labels[label] = text.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
    end += all.length
  }
  return { name, labels, value }
}
