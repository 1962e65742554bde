import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import * as eventTables from '../../../src/core/events/table.ts'
import * as replayTables from '../../../src/core/replays/table.ts'
import { migrate } from '../../../src/core/store/migrate.ts'
import * as claimTables from '../../../src/social/accounts/ownership/table.ts'
import * as reputationTables from '../../../src/social/accounts/reputation/table.ts'
import * as sessionTables from '../../../src/social/accounts/sign-in/table.ts'
import * as signatureTables from '../../../src/social/accounts/signatures/table.ts'
import * as agentTables from '../../../src/social/accounts/table.ts'
import * as verificationTables from '../../../src/social/accounts/verification/table.ts'
import * as commentTables from '../../../src/social/comments/table.ts'
import * as labelTables from '../../../src/social/communities/labels/table.ts'
import * as moderationTables from '../../../src/social/communities/moderation/table.ts'
import * as submoltTables from '../../../src/social/communities/table.ts'
import * as duplicateTables from '../../../src/social/limits/duplicates/table.ts'
import * as limitTables from '../../../src/social/limits/table.ts'
import * as directMessageTables from '../../../src/social/messages/direct-messages/table.ts'
import * as notificationTables from '../../../src/social/messages/notifications/table.ts'
import * as ownerEmailTables from '../../../src/social/messages/owner-email/table.ts'
import * as movingTables from '../../../src/social/moving/table.ts'
import { socialMigrations } from '../../../src/social/network/migrations.ts'
import * as statsTables from '../../../src/social/network/stats/table.ts'
import * as sharedTables from '../../../src/social/network/table.ts'
import * as reportTables from '../../../src/social/posts/reports/table.ts'
import * as revisionTables from '../../../src/social/posts/revisions/table.ts'
import * as postTables from '../../../src/social/posts/table.ts'
import * as searchTables from '../../../src/social/search/table.ts'
import * as voteTables from '../../../src/social/votes/table.ts'
import { differences, tablesOf } from '../../support/tables.ts'

test('drizzle declares every table of social.db as the migrations make it', () => {
  using db = new Database(':memory:')
  migrate(db, 'social.db', socialMigrations)
  const tables = tablesOf(
    ...[eventTables, replayTables, agentTables, sessionTables, claimTables, commentTables],
    ...[
      limitTables,
      movingTables,
      postTables,
      directMessageTables,
      duplicateTables,
      reputationTables,
      reportTables,
      revisionTables,
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
