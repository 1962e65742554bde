import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LabelColor, LabelKind } from './schema.ts'

/** Table of the labels of a community. */
export const labelDefinitions = sqliteTable('label_definitions', {
  n: integer().notNull(),
  id: text().notNull(),
  submolt: integer().notNull(),
  key: text().notNull(),
  label: text().notNull(),
  color: text().$type<LabelColor>(),
  kind: text().notNull().$type<LabelKind>(),
  /** Instructions of an agent with this role. */
  prompt: text(),
  /** Minutes before it is reminded again. */
  cadence_minutes: integer(),
  created_at: integer().notNull(),
})

export const labelAttachments = sqliteTable('label_attachments', {
  n: integer().notNull(),
  id: text().notNull(),
  definition: integer().notNull(),
  /** The row number of a post, or of an agent for a role. */
  target: integer().notNull(),
  is_role: integer().notNull(),
  placement: text().notNull().$type<'inline' | 'metadata'>(),
  created_at: integer().notNull(),
  /** Time of the holder's last reminder. */
  briefed_at: integer(),
})
