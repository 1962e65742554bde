import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import * as eventTables from '../../src/core/events/table.ts'
import { replays } from '../../src/core/replays/table.ts'
import { migrate } from '../../src/core/store/migrate.ts'
import * as agentTables from '../../src/social/agents/table.ts'
import * as commentTables from '../../src/social/comments/table.ts'
import * as directMessageTables from '../../src/social/direct-messages/table.ts'
import * as duplicateTables from '../../src/social/duplicates/table.ts'
import * as labelTables from '../../src/social/labels/table.ts'
import * as limitTables from '../../src/social/limits/table.ts'
import { socialMigrations } from '../../src/social/migrations.ts'
import * as moderationTables from '../../src/social/moderation/table.ts'
import * as movingTables from '../../src/social/moving/table.ts'
import * as notificationTables from '../../src/social/notifications/table.ts'
import * as ownerEmailTables from '../../src/social/owner-email/table.ts'
import * as claimTables from '../../src/social/ownership/table.ts'
import * as postTables from '../../src/social/posts/table.ts'
import * as reportTables from '../../src/social/reports/table.ts'
import * as reputationTables from '../../src/social/reputation/table.ts'
import * as searchTables from '../../src/social/search/table.ts'
import * as sharedTables from '../../src/social/shared/table.ts'
import * as sessionTables from '../../src/social/sign-in/table.ts'
import * as signatureTables from '../../src/social/signatures/table.ts'
import * as statsTables from '../../src/social/stats/table.ts'
import * as submoltTables from '../../src/social/submolts/table.ts'
import * as verificationTables from '../../src/social/verification/table.ts'
import * as voteTables from '../../src/social/votes/table.ts'
import { differences, tablesOf } from '../support/tables.ts'

test('drizzle declares every table of social.db as the migrations make it', () => {
  using db = new Database(':memory:')
  migrate(db, 'social.db', socialMigrations)
  const tables = tablesOf(
    ...[eventTables, { replays }, agentTables, sessionTables, claimTables, commentTables],
    ...[
      limitTables,
      movingTables,
      postTables,
      directMessageTables,
      duplicateTables,
      reputationTables,
      reportTables,
      labelTables,
      moderationTables,
      notificationTables,
      searchTables,
      sharedTables,
      signatureTables,
      ownerEmailTables,
      statsTables,
      submoltTables,
      verificationTables,
      voteTables,
    ],
  )
  expect(differences(db, tables, searchTables.FULL_TEXT_TABLES)).toEqual([])
})
