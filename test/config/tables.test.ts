import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import rigMigration from '../../src/config/rigs/table.sql' with { type: 'text' }
import * as rigTables from '../../src/config/rigs/table.ts'
import suspensionMigration from '../../src/config/suspensions/table.sql' with { type: 'text' }
import * as suspensionTables from '../../src/config/suspensions/table.ts'
import { differences, tablesOf } from '../support/tables.ts'

test('drizzle declares the tables of configuration as the migrations make them', () => {
  using db = new Database(':memory:')
  for (const migration of [suspensionMigration, rigMigration]) db.exec(migration)
  expect(differences(db, tablesOf(rigTables, suspensionTables))).toEqual([])
})
