import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import * as eventTables from '../../src/core/events/table.ts'
import * as replayTables from '../../src/core/replays/table.ts'
import * as requestTables from '../../src/core/requests/table.ts'
import { migrate } from '../../src/core/store/migrate.ts'
import { supervisorMigrations } from '../../src/supervisor/migrations.ts'
import * as peopleTables from '../../src/supervisor/people/table.ts'
import * as supervisorTables from '../../src/supervisor/table.ts'
import { differences, tablesOf } from '../support/tables.ts'

test('drizzle declares every table of supervisor.db as the migrations make it', () => {
  using db = new Database(':memory:')
  migrate(db, 'supervisor.db', supervisorMigrations)
  expect(differences(db, tablesOf(eventTables, replayTables, requestTables, supervisorTables, peopleTables))).toEqual(
    [],
  )
})
