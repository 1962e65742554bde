import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export type PendingKind = 'post' | 'comment' | 'submolt'

/** Table of texts that wait for the answer to a challenge. */
export const pendingTexts = sqliteTable(
  'pending_texts',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    /** The identifier that it will have. */
    id: text().notNull().unique(),
    kind: text().$type<PendingKind>().notNull(),
    author: integer().notNull(),
    /** Draft that it will be published from, as JSON. */
    draft: text().notNull(),
    code: text().notNull().unique(),
    challenge: text().notNull(),
    answer: real().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    answered_at: integer(),
  },
  (pending) => [index('pending_texts_by').on(pending.author), index('pending_texts_created').on(pending.created_at)],
)

/** Wrong answers of an agent in a row, and until when it is asked nothing more. */
export const wrongAnswers = sqliteTable('wrong_answers', {
  agent: integer().primaryKey(),
  count: integer().notNull(),
  paused_until: integer(),
})
