import { sql } from 'drizzle-orm'
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Text that is compared without regard to ASCII case. */
const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** The registered cities; everything else of a city is in its own folder. */
export const cities = sqliteTable('cities', {
  name: caseInsensitiveText().primaryKey(),
  path: text().notNull().unique(),
  registeredAt: integer('registered_at').notNull(),
})

/** When this supervisor ran; a run without an end crashed. */
export const runs = sqliteTable('runs', {
  id: integer().primaryKey(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
})

/** Which tokens of which city are good, by hash; an ended one is kept a while so that it can be told from an unknown one. */
export const tokens = sqliteTable(
  'tokens',
  {
    hash: text().notNull(),
    city: text().notNull(),
    expiresAt: integer('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.hash, table.city] }),
    index('tokens_by_city').on(table.city, table.expiresAt),
    index('tokens_ended').on(table.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
)
