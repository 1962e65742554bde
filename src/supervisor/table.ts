import { sql } from 'drizzle-orm'
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Text that is compared without regard to ASCII case. */
const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** The registered cities; everything else of a city is in its own folder. */
export const cities = sqliteTable('cities', {
  name: caseInsensitiveText().primaryKey(),
  path: text().notNull().unique(),
  registeredAt: integer('registered_at').notNull(),
  /** Time a person stopped it; only a person starts it. */
  stoppedAt: integer('stopped_at'),
  /** 1 for a city from before sessions were confined by default, until the first start since. */
  ranUnconfined: integer('ran_unconfined'),
})

/** Table of this supervisor's runs; a run without an end crashed. */
export const runs = sqliteTable('runs', {
  id: integer().primaryKey(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
})

/** Table of each city's state when last open. */
export const cityHistory = sqliteTable('city_history', {
  city: caseInsensitiveText().primaryKey(),
  openedAt: integer('opened_at'),
  backedUpAt: integer('backed_up_at'),
  /** Location chosen by its maker. */
  backupFile: text('backup_file'),
})

/** Table of valid tokens by city and hash; an ended one stays a while, to tell it from an unknown one. */
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
