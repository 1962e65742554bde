import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { migrate } from '../../src/core/migrate.ts'
import * as beadTables from '../../src/work/beads/table.ts'
import * as claimTables from '../../src/work/claims/table.ts'
import * as commentTables from '../../src/work/comments/table.ts'
import * as mailTables from '../../src/work/mail/table.ts'
import * as searchTables from '../../src/work/search/table.ts'
import * as waitTables from '../../src/work/waits/table.ts'
import { differences, tablesOf } from '../support/tables.ts'

const tables = tablesOf(beadTables, claimTables, commentTables, mailTables, searchTables, waitTables)
const names = new Set([...tables.map((table) => getTableConfig(table).name), searchTables.FULL_TEXT_TABLE])

test('drizzle declares the tables of work as the migrations make them', () => {
  using db = new Database(':memory:')
  migrate(db, 'city.db', cityMigrations)
  const ofWork = differences(db, tables, [searchTables.FULL_TEXT_TABLE]).filter((line) => {
    const [, table = ''] = /^only (?:declared|migrated): (\w+)/.exec(line) ?? []
    return names.has(table)
  })
  expect(ofWork).toEqual([])
})
