import { countOf, formatCount } from '../../src/client/text.ts'
import type { Line } from './page.ts'

const BARS = '·▁▂▃▄▅▆▇█'

/** A sparkline, scaled to the largest value; the first character stands for zero. */
export function sparkLine(values: readonly number[], signs = BARS): string {
  const most = Math.max(...values, 0)
  const [none = '', ...bars] = signs
  const barOf = (value: number) => bars[Math.min(bars.length - 1, Math.floor((value / most) * bars.length))] ?? none
  return values.map((value) => (value <= 0 ? none : barOf(value))).join('')
}

/** A bar of this many columns, filled as far as a part is done: only what is begun has a first sign, only what is done the last. */
export function progressBar(part: number, columns: number, [full = '', empty = '']: string): string {
  const filled = part <= 0 ? 0 : part >= 1 ? columns : Math.max(1, Math.min(columns - 1, Math.round(part * columns)))
  return full.repeat(filled) + empty.repeat(columns - filled)
}

/** The signs of a bar in a text. */
export const BAR_SIGNS = '█░'

/** Columns of the bar above a list. */
const HEAD_BAR = 20

/** `████░░ 3 of 5 done`, above what is being done; nothing where there is nothing to do. */
export const doneLine = (done: number, all: number): Line[] =>
  all <= 0
    ? []
    : [
        {
          text: `${progressBar(done / all, HEAD_BAR, BAR_SIGNS)} ${done} of ${all} done`,
          said: `${done} of ${all} done`,
          tone: done >= all ? 'good' : 'busy',
        },
      ]

/** Words about what takes from one time to another, behind a bar of the time that has passed: at most nearly all of it. */
export function timedLine(words: string, since: string, until: string, now: number): Line {
  const [start, end] = [Date.parse(since), Date.parse(until)]
  const part = end > start ? Math.min(0.99, (now - start) / (end - start)) : 0.99
  return { text: `${progressBar(part, HEAD_BAR, BAR_SIGNS)} ${words}`, said: words, tone: 'busy' }
}

/** `3/5`, with its part. */
export const doneOf = (done: number, all: number): { readonly text: string; readonly part: number } => ({
  text: `${done}/${all}`,
  part: all <= 0 ? 0 : done / all,
})

interface Tokens {
  readonly input_tokens: number
  readonly output_tokens: number
}

/** `12k in · 3k out`. */
export const tokens = ({ input_tokens: input, output_tokens: output }: Tokens): string =>
  `${formatCount(input)} in · ${formatCount(output)} out`

/** Dollars, with how many turns they leave out. */
export const money = (usd: number, unpriced: number): string =>
  `$${usd.toFixed(2)}${unpriced > 0 ? ` and ${countOf(unpriced, 'turn')} without a price` : ''}`

interface Limit {
  readonly limit: number
  readonly unit: string
  readonly per: string
}

/** `$5.00`, `2.0M tokens`. */
export const amount = (value: number, unit: string): string =>
  unit === 'usd' ? money(value, 0) : `${formatCount(value)} ${unit}`

/** `$5.00 a day`, `200.0k tokens an hour`. */
export const limitOf = ({ limit, unit, per }: Limit): string =>
  `${amount(limit, unit)} ${per === 'hour' ? 'an' : 'a'} ${per}`

/** `850 ms`, `8.0 s`. */
export const formatElapsed = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
