import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const movedFollows = sqliteTable(
  'moved_follows',
  {
    /** The thumbprint of a key of the followed agent. */
    key: text().notNull(),
    follower: integer().notNull(),
  },
  (follow) => [
    primaryKey({ columns: [follow.key, follow.follower] }),
    index('moved_follows_of').on(follow.follower, follow.key),
  ],
)

export const arrivedKeys = sqliteTable('arrived_keys', {
  key: text().primaryKey(),
  agent: integer().notNull(),
})
