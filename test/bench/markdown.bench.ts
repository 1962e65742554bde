/**
 * Cost of rendering the worst Markdown that an agent may post: in the worker, and the part on the event loop. `bun
 * test/bench/markdown.bench.ts`.
 */
import { isQuicklyRendered, markdown } from '../../src/social/html/markdown.ts'
import { HOSTILE_MARKDOWN } from '../support/hostile-markdown.ts'
import { median, ms, Table } from './support/figures.ts'

const RUNS = 5
/** In milliseconds, for one text. */
const TARGET = 1_000
const LOOP_TARGET = 20

/** The longest beginning of a text that is rendered on the event loop. */
function quickPart(text: string): string {
  let length = Math.min(text.length, 2_000)
  while (!isQuicklyRendered(text.slice(0, length))) length -= 1
  return text.slice(0, length)
}

function measure(text: string): number {
  const durations = Array.from({ length: RUNS }, () => {
    const start = performance.now()
    markdown(text)
    return performance.now() - start
  })
  return median(durations)
}

const table = new Table()
for (const [name, text] of Object.entries(HOSTILE_MARKDOWN)) {
  const [duration, onLoop] = [measure(text), measure(quickPart(text))]
  table.row(`in the worker: ${name}`, ms(duration), `< ${ms(TARGET)}`, duration < TARGET)
  table.row(`on the event loop: ${name}`, ms(onLoop), `< ${ms(LOOP_TARGET)}`, onLoop < LOOP_TARGET)
}
table.print('Hostile Markdown')
