import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import * as budgetTables from '../../src/agents/budgets/table.ts'
import * as acpTables from '../../src/agents/conversations/acp/table.ts'
import * as lifecycleTables from '../../src/agents/lifecycle/table.ts'
import * as messagingTables from '../../src/agents/messaging/table.ts'
import * as sessionTables from '../../src/agents/sessions/table.ts'
import * as usageTables from '../../src/agents/usage/table.ts'
import * as worktreeTables from '../../src/agents/worktrees/table.ts'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import { migrate } from '../../src/core/migrate.ts'
import { differences, tablesOf } from '../support/tables.ts'

const tables = tablesOf(
  ...[acpTables, budgetTables, lifecycleTables, messagingTables, sessionTables, usageTables, worktreeTables],
)
const names = new Set(tables.map((table) => getTableConfig(table).name))

test('drizzle declares the tables of agents as the migrations make them', () => {
  using db = new Database(':memory:')
  migrate(db, 'city.db', cityMigrations)
  const ofAgents = differences(db, tables).filter((line) => {
    const [, table = ''] = /^only (?:declared|migrated): (\w+)/.exec(line) ?? []
    return names.has(table)
  })
  expect(ofAgents).toEqual([])
})
