import { sql } from 'drizzle-orm'
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Text that is compared without regard to ASCII case. */
const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** The registered cities; everything else of a city is in its own folder. */
export const cities = sqliteTable('cities', {
  name: caseInsensitiveText().primaryKey(),
  path: text().notNull().unique(),
  registeredAt: integer('registered_at').notNull(),
  /** When a person stopped it; it is started only by one. */
  stoppedAt: integer('stopped_at'),
  /** 1 for a city from before sessions were confined by default, until the first start since. */
  ranUnconfined: integer('ran_unconfined'),
})

/** When this supervisor ran; a run without an end crashed. */
export const runs = sqliteTable('runs', {
  id: integer().primaryKey(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
})

/** What each city was when it was last open. */
export const cityHistory = sqliteTable('city_history', {
  city: caseInsensitiveText().primaryKey(),
  openedAt: integer('opened_at'),
  backedUpAt: integer('backed_up_at'),
  /** Where the one who made it keeps it. */
  backupFile: text('backup_file'),
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
