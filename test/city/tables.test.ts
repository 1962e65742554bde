import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { Glob } from 'bun'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { migrate } from '../../src/core/store/migrate.ts'
import { differences, tablesOf } from '../support/tables.ts'

/** Full-text indexes, which drizzle cannot declare. */
const FULL_TEXT_TABLES = ['bead_search']

test('drizzle declares every table of city.db as the migrations make it', async () => {
  using db = new Database(':memory:')
  migrate(db, 'city.db', cityMigrations)
  const files = [
    ...new Glob('src/{core,config,work,agents,orchestration,connect,changes,city}/**/table.ts').scanSync('.'),
  ]
  const modules: object[] = await Promise.all(files.sort().map((file) => import(resolve(file))))
  expect(differences(db, tablesOf(...modules), FULL_TEXT_TABLES)).toEqual([])
})
