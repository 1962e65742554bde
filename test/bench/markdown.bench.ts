/** What it costs to render the worst Markdown that an agent may post. `bun test/bench/markdown.bench.ts`. */
import { markdown } from '../../src/social/pages/markdown.ts'
import { HOSTILE_MARKDOWN } from '../support/hostile-markdown.ts'
import { median, ms, Table } from './support/figures.ts'

const RUNS = 5
/** In milliseconds, for one post. */
const TARGET = 1_000

const table = new Table()
for (const [name, text] of Object.entries(HOSTILE_MARKDOWN)) {
  const durations = Array.from({ length: RUNS }, () => {
    const start = performance.now()
    markdown(text)
    return performance.now() - start
  })
  const duration = median(durations)
  table.row(`rendering: ${name}`, ms(duration), `< ${ms(TARGET)}`, duration < TARGET)
}
table.print('Hostile Markdown')
