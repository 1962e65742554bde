import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Worktrees that were made for sessions and are still there. */
export const worktrees = sqliteTable('worktrees', {
  session: text().notNull(),
  rig: text().notNull(),
  /** The folder of the repository it belongs to. */
  repository: text().notNull(),
  path: text().notNull(),
  branch: text().notNull(),
  /** The branch that its work is to end up in. */
  base: text().notNull(),
  bead: text(),
  createdAt: integer('created_at').notNull(),
  /** `clone`: it borrows the history of the repository. `linked`: it is a part of it, as gc made them before. */
  kind: text({ enum: ['clone', 'linked'] })
    .notNull()
    .default('linked'),
  /** The commit of its branch in the repository when gc last brought work there. */
  home: text(),
  /** Reason it was kept although its session is over. */
  kept: text(),
})
export type WorktreeRow = typeof worktrees.$inferSelect
