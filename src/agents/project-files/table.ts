import { sql } from 'drizzle-orm'
import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What gc wrote into projects, and is to take out again. */
export const projectFiles = sqliteTable(
  'project_files',
  {
    folder: text().notNull(),
    /** From the folder. */
    path: text().notNull(),
    kind: text().$type<'file' | 'link'>().notNull(),
    /** Of what was written; for a link, of where it leads. */
    hash: text().notNull(),
    /** The text of a file of others that something was put into. */
    original: text(),
    /** The file in which git is told to ignore it, and how. */
    excludeFile: text('exclude_file'),
    pattern: text(),
  },
  ({ folder, path, excludeFile }) => [
    primaryKey({ columns: [folder, path] }),
    index('project_files_by_exclude_file').on(excludeFile).where(sql`exclude_file IS NOT NULL`),
  ],
)
export type ProjectFileRow = typeof projectFiles.$inferSelect
