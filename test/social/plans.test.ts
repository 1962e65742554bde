import { expect, test } from 'bun:test'
import { query } from '../../src/core/store/index.ts'
import { DIRECTORY_SQL } from '../../src/social/accounts/directory/directory.ts'
import { VOUCH_SQL } from '../../src/social/accounts/reputation/reputations.ts'
import { SIGNING_KEY_SQL } from '../../src/social/accounts/signatures/signing-keys.ts'
import { PENDING_SQL } from '../../src/social/accounts/verification/pending-texts.ts'
import { COUNT_REPEATED, NEWEST_BY_AUTHOR } from '../../src/social/comments/comments.ts'
import { REPEAT_SQL } from '../../src/social/comments/repeats/repeats.ts'
import { COMMENT_SORTS } from '../../src/social/comments/schema.ts'
import { levelSql, repliesSql } from '../../src/social/comments/threads.ts'
import { ATTACHMENT_SQL } from '../../src/social/communities/labels/attachments.ts'
import { LABEL_SQL } from '../../src/social/communities/labels/labels.ts'
import { MODERATION_SQL } from '../../src/social/communities/moderation/moderation.ts'
import { DUPLICATE_SQL } from '../../src/social/limits/duplicates/duplicates.ts'
import { STANDING_SQL } from '../../src/social/limits/standings.ts'
import { CONVERSATION_SQL } from '../../src/social/messages/direct-messages/conversation-rows.ts'
import { MESSAGES } from '../../src/social/messages/direct-messages/message-rows.ts'
import { NOTIFICATION_SQL } from '../../src/social/messages/notifications/notifications.ts'
import { OWNER_EMAIL_SQL } from '../../src/social/messages/owner-email/owner-emails.ts'
import { EXPORT_SQL } from '../../src/social/moving/exports.ts'
import { filterSql } from '../../src/social/posts/feed-sources.ts'
import { VOTES_ON } from '../../src/social/posts/kept-lists.ts'
import { COUNT_PINS } from '../../src/social/posts/pins.ts'
import { COUNT_REPEATS, NEWEST_BY_OWNER } from '../../src/social/posts/posts.ts'
import { REPORT_SQL } from '../../src/social/posts/reports/reports.ts'
import { firstKeysSql, PINNED, scanSql, skipSql } from '../../src/social/posts/scan-sql.ts'
import { POST_SORTS } from '../../src/social/posts/schema.ts'
import { SELECT_LISTED } from '../../src/social/posts/view.ts'
import { AUTHORS, COMMUNITIES, FOLLOWED_OF } from '../../src/social/search/hits.ts'
import { newestSql, STEMS } from '../../src/social/search/indexes.ts'
import { scoresSql } from '../../src/social/search/matches.ts'
import { AGENTS_SQL, SUBMOLTS_SQL } from '../../src/social/search/names.ts'
import { COMMENTS_BY, LISTED_COMMENTS, LISTED_POSTS, POSTS_BY } from '../../src/social/search/rows.ts'
import { CAST } from '../../src/social/votes/votes.ts'
import { openNetwork, type TestNetwork } from './network.ts'

const plan = ({ store }: TestNetwork, sql: string): string =>
  store
    .all(query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
    .map(({ detail }) => detail)
    .join('\n')

test('every list scans an index of its own and sorts nothing', async () => {
  await using network = await openNetwork()
  for (const sort of POST_SORTS) {
    for (const scope of ['all', 'submolt', 'author'] as const) {
      const steps = plan(network, scanSql(scope, sort))
      const index = scope === 'all' ? `posts_${sort}` : `posts_${scope}_${sort}`
      expect(steps).toMatch(new RegExp(`SEARCH posts USING COVERING INDEX ${index} \\(`))
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
      const classes = sort === 'top' || sort === 'controversial' ? [0, 1, 2, 3, 4, 5] : [undefined]
      expect(plan(network, skipSql(scope, sort, classes))).not.toMatch(/SCAN|TEMP B-TREE/)
    }
    for (const [scope, column, covering] of [
      ['submolt', 'submolt', 'COVERING '],
      ['followed', 'author', ''],
    ] as const) {
      const steps = plan(network, firstKeysSql(scope, sort))
      expect(steps).toMatch(new RegExp(`SEARCH posts USING ${covering}INDEX posts_${column}_${sort} \\(${column}=`))
      expect(steps).not.toMatch(/SCAN|TEMP B-TREE/)
    }
  }
  for (const sort of COMMENT_SORTS) {
    expect(plan(network, levelSql(sort))).toMatch(
      /^SEARCH comments USING (COVERING )?INDEX comments_\w+ \(post=\? AND parent=\? AND /,
    )
    const steps = plan(network, repliesSql(sort))
    expect(steps).toContain('SEARCH c USING INTEGER PRIMARY KEY')
    expect(steps).not.toMatch(/TEMP B-TREE|SCAN (c|comments)\b/)
  }
})

test('a feed looks up posts and follows by their keys', async () => {
  await using network = await openNetwork()
  for (const reach of ['following', 'all'] as const) {
    const steps = plan(network, filterSql(reach))
    expect(steps).toMatch(/SEARCH p USING INTEGER PRIMARY KEY/)
    expect(steps).toMatch(/SEARCH f (EXISTS )?USING PRIMARY KEY \(follower=\? AND followee=\?\)/)
    expect(steps).not.toMatch(/SCAN (?!j\b)|TEMP B-TREE/)
  }
  expect(plan(network, filterSql('all'))).toMatch(/SEARCH s USING PRIMARY KEY \(agent=\? AND submolt=\?\)/)
})

test('a list looks up its posts and the votes of its reader by their keys', async () => {
  await using network = await openNetwork()
  expect(plan(network, SELECT_LISTED)).toMatch(/SEARCH p USING INTEGER PRIMARY KEY/)
  expect(plan(network, VOTES_ON)).toMatch(/SEARCH v USING PRIMARY KEY \(agent=\? AND kind=\? AND target=\?\)/)
  expect(plan(network, FOLLOWED_OF)).toMatch(/SEARCH f USING PRIMARY KEY \(follower=\? AND followee=\?\)/)
  for (const sql of [SELECT_LISTED, VOTES_ON, FOLLOWED_OF]) expect(plan(network, sql)).not.toMatch(/SCAN (?!j\b)/)
})

test('a search reads the full-text index, and then only the rows that it compares', async () => {
  await using network = await openNetwork()
  for (const index of Object.values(STEMS)) {
    expect(plan(network, newestSql(index))).toMatch(/^SCAN \w+_stems VIRTUAL TABLE INDEX \d+:[^ ]*M\d*[^ ]*$/)
  }
  for (const sql of [
    scoresSql(0),
    scoresSql(1),
    AUTHORS,
    COMMUNITIES,
    LISTED_COMMENTS,
    LISTED_POSTS,
    AGENTS_SQL,
    SUBMOLTS_SQL,
  ]) {
    expect(plan(network, sql)).toMatch(/^SCAN j VIRTUAL TABLE INDEX 1:\nSEARCH \w+ USING INTEGER PRIMARY KEY/)
  }
})

test('a search of the texts of one author reads only these', async () => {
  await using network = await openNetwork()
  expect(plan(network, POSTS_BY)).toMatch(/^SEARCH p USING INDEX posts_author_new \(author=\? AND deleted_at=\?\)$/)
  expect(plan(network, COMMENTS_BY)).toMatch(/^SEARCH c USING INDEX comments_author \(author=\? AND deleted_at=\?/)
})

test('every statement that filters rows uses an index', async () => {
  await using network = await openNetwork()
  const scans = [
    'SELECT n, id FROM agents WHERE leaving = 1',
    'SELECT 1 AS one FROM agents WHERE handle = ? UNION ALL SELECT 1 FROM agents WHERE likeness = ?',
    'SELECT count(*) FROM agents WHERE owner = ?',
    'SELECT id FROM posts INDEXED BY posts_author_new WHERE author = ? AND deleted_at IS NULL LIMIT ?',
    'SELECT at, turn FROM charges WHERE who = ? AND what = ? AND at > ? ORDER BY at, turn LIMIT 1',
    'SELECT at, turn FROM charges WHERE who = ? AND what = ? ORDER BY at DESC, turn DESC LIMIT 1',
    'SELECT who, what, at, turn FROM charges WHERE what = ? AND at <= ? LIMIT 500',
    'SELECT s.* FROM submolts s WHERE (s.created_at, s.n) < (?, ?) ORDER BY s.created_at DESC, s.n DESC LIMIT ?',
    `SELECT s.* FROM submolts s WHERE (s.subscriber_count, s.created_at, s.n) < (?, ?, ?)
     ORDER BY s.subscriber_count DESC, s.created_at DESC, s.n DESC LIMIT ?`,
    CAST,
    NEWEST_BY_OWNER,
    PINNED,
    ...Object.values(LABEL_SQL),
    ...Object.values(ATTACHMENT_SQL),
    REPORT_SQL.ofAgent,
    DUPLICATE_SQL.band,
    ...Object.values(VOUCH_SQL),
    DUPLICATE_SQL.ofTarget,
    ...Object.values(REPEAT_SQL),
    MESSAGES,
    ...Object.values(CONVERSATION_SQL),
    ...Object.values(MODERATION_SQL),
    COUNT_PINS,
    NEWEST_BY_AUTHOR,
    ...Object.values(SIGNING_KEY_SQL),
    ...Object.values(EXPORT_SQL),
    ...Object.values(OWNER_EMAIL_SQL),
    ...Object.values(PENDING_SQL),
    'DELETE FROM used_signatures WHERE hash IN (SELECT hash FROM used_signatures WHERE until < ? LIMIT 500)',
    DIRECTORY_SQL.karma,
    DIRECTORY_SQL.new,
    NOTIFICATION_SQL.page,
    NOTIFICATION_SQL.post,
    NOTIFICATION_SQL.recent,
    NOTIFICATION_SQL.hasUnread,
    NOTIFICATION_SQL.readPost,
    NOTIFICATION_SQL.readAll,
    'SELECT min(created_at) FROM posts INDEXED BY posts_aging WHERE deleted_at IS NULL AND span < 5 AND span = ?',
  ].filter((sql) => /\bSCAN (?!agents USING|j VIRTUAL)|TEMP B-TREE/.test(plan(network, sql)))
  expect(scans).toEqual([])
})

test('unread notifications are counted for each post from the index alone', async () => {
  await using network = await openNetwork()
  expect(plan(network, NOTIFICATION_SQL.unreadPosts)).toMatch(
    /^SEARCH notifications USING COVERING INDEX notifications_unread \(/,
  )
})

test('counts for pages and limits are bounded, and read from an index', async () => {
  await using network = await openNetwork()
  for (const sql of [COUNT_REPEATS, COUNT_REPEATED, ...Object.values(STANDING_SQL)]) {
    expect(sql).toContain('LIMIT')
    expect(plan(network, sql)).toMatch(/SEARCH (posts|comments|vouches|text_\w+) USING /)
    expect(plan(network, sql)).not.toMatch(/SCAN (posts|comments|agents|owners|vouches|text_)/)
  }
})
