import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The responses to requests with an `Idempotency-Key`. */
export const replays = sqliteTable(
  'replays',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    scope: text().notNull().unique(),
    print: text().notNull(),
    status: integer(),
    headers: text().notNull(),
    body: text().notNull(),
    expires_at: integer().notNull(),
    caller: text().notNull().default(''),
    /** Counts up for each caller. */
    turn: integer().notNull().default(0),
  },
  (table) => [index('replays_by_caller').on(table.caller, table.turn)],
)
