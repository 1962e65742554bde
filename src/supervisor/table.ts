import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Rest } from '../city/rest.ts'

/** The rest of a city, and the build of gc that knows what it means. */
export interface KeptRest {
  readonly build: string
  readonly rest: Rest
}

/** The registered cities; everything else of a city is in its own folder. */
export const cities = sqliteTable('cities', {
  name: text().notNull(),
  path: text().notNull(),
  registeredAt: integer('registered_at').notNull(),
  /** Time a person stopped it; only a person starts it. */
  stoppedAt: integer('stopped_at'),
  /** 1 for a city from before sessions were confined by default, until the first start since. */
  ranUnconfined: integer('ran_unconfined'),
})

/** Table of each city's state when last open. */
export const cityHistory = sqliteTable('city_history', {
  city: text().notNull(),
  openedAt: integer('opened_at'),
  backedUpAt: integer('backed_up_at'),
  /** Location chosen by its maker. */
  backupFile: text('backup_file'),
  /** State with which it rests; null unless it was closed with nothing to do. */
  rest: text({ mode: 'json' }).$type<KeptRest>(),
})
