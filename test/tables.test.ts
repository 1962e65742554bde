import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { Glob } from 'bun'
import { cityMigrations } from '../src/city/database/migrations.ts'
import { migrate } from '../src/core/store/migrate.ts'
import { socialMigrations } from '../src/social/network/migrations.ts'
import { supervisorMigrations } from '../src/supervisor/migrations.ts'
import { differences, tablesOf } from './support/tables.ts'

const files = [...new Glob('src/**/table.ts').scanSync('.')].sort()
const isOf = (database: string) => (file: string) => file.startsWith(`src/${database}/`)

test.each([
  ['social', socialMigrations, files.filter(isOf('social'))],
  ['supervisor', supervisorMigrations, files.filter(isOf('supervisor'))],
  ['city', cityMigrations, files.filter((file) => !isOf('social')(file) && !isOf('supervisor')(file))],
])(
  'the columns that drizzle declares of %s.db are those that the migrations make',
  async (name, migrations, declaring) => {
    using db = new Database(':memory:')
    migrate(db, `${name}.db`, migrations)
    const modules: object[] = await Promise.all(declaring.map((file) => import(resolve(file))))
    const tables = tablesOf(...modules)
    expect(tables).not.toBeEmpty()
    expect(differences(db, tables)).toEqual([])
  },
)
