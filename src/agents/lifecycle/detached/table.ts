import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Processes that left a session and were still running when it ended. */
export const detachedProcesses = sqliteTable('detached_processes', {
  session: text().notNull(),
  pid: integer().notNull(),
  /** Names the moment of its start: with the pid it identifies one process, across reboots as well. */
  started: text().notNull(),
  command: text().notNull(),
  foundAt: integer('found_at').notNull(),
})
export type DetachedProcessRow = typeof detachedProcesses.$inferSelect
