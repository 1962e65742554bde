import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const beads = sqliteTable('beads', {
  n: integer().primaryKey(),
  id: text().notNull().unique(),
  rig: text().notNull(),
  title: text().notNull(),
  status: text().notNull(),
  type: text().notNull(),
  priority: integer(),
  assignee: text().notNull(),
  sender: text().notNull(),
  parent: text(),
  ref: text().notNull(),
  description: text().notNull(),
  labels: text({ mode: 'json' }).$type<string[]>().notNull(),
  metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  ephemeral: integer({ mode: 'boolean' }).notNull(),
  noHistory: integer('no_history', { mode: 'boolean' }).notNull(),
  deferUntil: integer('defer_until'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  workable: integer({ mode: 'boolean' }).notNull(),
  blockers: integer().notNull(),
  edges: integer().notNull(),
})

export const beadEdges = sqliteTable(
  'bead_edges',
  {
    issueId: text('issue_id').notNull(),
    dependsOnId: text('depends_on_id').notNull(),
    type: text().notNull(),
  },
  (edge) => [primaryKey({ columns: [edge.issueId, edge.dependsOnId, edge.type] })],
)
