import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export type PendingKind = 'post' | 'comment' | 'submolt'

/** Table of texts that wait for the answer to a challenge. */
export const pendingTexts = sqliteTable('pending_texts', {
  n: integer().notNull(),
  /** The identifier that it will have. */
  id: text().notNull(),
  kind: text().$type<PendingKind>().notNull(),
  author: integer().notNull(),
  /** Draft that it will be published from, as JSON. */
  draft: text().notNull(),
  code: text().notNull(),
  challenge: text().notNull(),
  answer: real().notNull(),
  created_at: integer().notNull(),
  expires_at: integer().notNull(),
  answered_at: integer(),
})
