import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countOperations } from './operations.ts'
import committed from './table.json'
import { compare, type Differences, type Table, tableOf } from './table.ts'

/** Set by `npm run counts`, which writes the table. */
const isWritten = process.env.GC_COUNTS === 'write'

describe('the operations that run most often', () => {
  let differences: Differences
  beforeAll(async () => {
    const counts = await countOperations()
    if (isWritten) writeFileSync(join(import.meta.dir, 'table.json'), `${JSON.stringify(tableOf(counts), null, 2)}\n`)
    differences = compare(isWritten ? tableOf(counts) : committed, counts)
  }, 60_000)

  test('run no more statements, read no more rows and sync no more often than the table says', () => {
    expect(differences.worse.join('\n')).toBe('')
  })

  test('cost no less than the table says, until `npm run counts` writes it', () => {
    expect(differences.better.join('\n')).toBe('')
  })
})

describe('a comparison', () => {
  const table: Table = { vote: { syncs: 1, frames: 2, statements: { 'SELECT votes': '1 runs, 1 rows' } } }
  const statements = { 'SELECT votes': ['SELECT * FROM votes'] }

  test('names the operation, the kind of statement and the statement that cost more', () => {
    const costs = { 'SELECT votes': { runs: 2, rows: 9 } }
    expect(compare(table, { vote: { syncs: 2, frames: 2, costs, statements } })).toEqual({
      worse: [
        'vote: 2 syncs, not 1',
        'vote: SELECT votes: 2 runs, 9 rows, not 1 runs, 1 rows\n    SELECT * FROM votes',
      ],
      better: [],
    })
  })

  test('lists costs that fell, and no cost that stayed', () => {
    const costs = { 'SELECT votes': { runs: 1, rows: 1 } }
    expect(compare(table, { vote: { syncs: 1, frames: 1, costs, statements } })).toEqual({
      worse: [],
      better: ['vote: 1 pages written, not 2'],
    })
    expect(compare(table, tableless).better).toEqual([
      'vote: 0 syncs, not 1',
      'vote: 0 pages written, not 2',
      'vote: SELECT votes: 0 runs, 0 rows, not 1 runs, 1 rows',
    ])
  })
})

const tableless = {}
