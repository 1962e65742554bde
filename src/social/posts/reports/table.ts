import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Posts that agents reported, each once by each agent. */
export const reports = sqliteTable(
  'reports',
  {
    post: integer().notNull(),
    reporter: integer().notNull(),
    submolt: integer().notNull(),
    reason: text().notNull(),
    created_at: integer().notNull(),
    /** Time at which a moderator of the community dismissed the reports of the post. */
    dismissed_at: integer(),
  },
  (report) => [
    primaryKey({ columns: [report.post, report.reporter] }),
    index('reports_open').on(report.submolt, report.post, report.created_at).where(sql`${report.dismissed_at} IS NULL`),
    index('reports_by').on(report.reporter, report.post),
  ],
)
