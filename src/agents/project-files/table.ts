import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Table of files that gc wrote into projects and must remove. */
export const projectFiles = sqliteTable('project_files', {
  folder: text().notNull(),
  /** From the folder. */
  path: text().notNull(),
  kind: text().$type<'file' | 'link'>().notNull(),
  /** Hash of the written content; for a link, of its target. */
  hash: text().notNull(),
  /** The text of a file of others that something was put into. */
  original: text(),
  /** The file that makes git ignore it, with the pattern. */
  excludeFile: text('exclude_file'),
  pattern: text(),
})
export type ProjectFileRow = typeof projectFiles.$inferSelect
