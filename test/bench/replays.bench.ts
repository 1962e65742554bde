import { readdirSync, statSync } from 'node:fs'
import byKey from '../../src/core/replays/by-key.sql' with { type: 'text' }
import perCaller from '../../src/core/replays/per-caller.sql' with { type: 'text' }
import { Replays } from '../../src/core/replays/replays.ts'
import replaysTable from '../../src/core/replays/table.sql' with { type: 'text' }
import { query } from '../../src/core/store/index.ts'
import { Store } from '../../src/core/store/store.ts'
import { TestClock } from '../support/clock.ts'
import { tempFolder } from '../support/folder.ts'
import { median, Table, whole } from './support/figures.ts'

/**
 * The answers that are kept for repeated requests, under a thousand changes a second for ten minutes of a clock that is
 * turned by hand: what the table takes, and what the last of them costs beside the first. `npm run bench replays`.
 */

const A_SECOND = 1_000
const SECONDS = 600
const MAX_MB = 64

using folder = tempFolder()
const store = Store.open(folder.at('replays.db'), [replaysTable, perCaller, byKey])
const clock = new TestClock()
const replays = new Replays(store, clock)
const print = Replays.print('{}')
const text = JSON.stringify({ id: 'to-1', title: 'x'.repeat(400) })
const took: number[] = []
let most = 0
for (let second = 0; second < SECONDS; second++) {
  const started = performance.now()
  const puts = Array.from({ length: A_SECOND }, (_, n) => {
    const at = clock.now() + n
    const hex = at.toString(16).padStart(12, '0')
    const key = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`
    const parts = { caller: 'human', method: 'POST', path: '/v0/city/town/beads', key }
    return replays.add(replays.keyOf(parts), print, { kind: 'answer', text, head: { headers: {} } })
  })
  await Promise.all(puts)
  took.push(performance.now() - started)
  const sql = 'SELECT sum(octet_length(body)) AS bytes, count(*) AS rows FROM replays'
  most = Math.max(most, (store.get(query<{ bytes: number }>(sql))?.bytes ?? 0) / 2 ** 20)
  await clock.advance(1_000)
}
const file = readdirSync(folder.path)
  .filter((name) => name === 'replays.db')
  .reduce((sum, name) => sum + statSync(folder.at(name)).size, 0)
const table = new Table()
table.row('answers that are kept, at most', `${most.toFixed(1)} MB`, `≤ ${MAX_MB} MB`, most <= MAX_MB)
table.row('database', `${whole(file / 2 ** 20)} MB`, '', undefined)
const [first, last] = [took.slice(0, 60), took.slice(-60)].map((part) => (1_000 * median(part)) / A_SECOND)
table.row(
  'one change, in the first minute and in the last',
  `${whole(first ?? 0)} and ${whole(last ?? 0)} µs`,
  '',
  undefined,
)
table.print(`${whole(A_SECOND * SECONDS)} changes with keys`)
await store.close()
