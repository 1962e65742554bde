import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const events = sqliteTable(
  'events',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    type: text().notNull(),
    at: integer().notNull(),
    actor: text().notNull(),
    by: text(),
    subject: text(),
    message: text(),
    run_id: text(),
    session_id: text(),
    step_id: text(),
    depends_on_step_ids: text(),
    payload: text().notNull(),
    emitted: integer().notNull().default(0),
  },
  (event) => [
    index('events_type').on(event.type, event.seq),
    index('events_actor').on(event.actor, event.seq, event.type),
    index('events_subject').on(event.subject, event.seq).where(sql`${event.subject} IS NOT NULL`),
  ],
)

export const eventSegments = sqliteTable('event_segments', {
  last_seq: integer().primaryKey(),
  bytes: integer().notNull(),
})

export const eventArchives = sqliteTable('event_archives', {
  last_seq: integer().primaryKey(),
  first_seq: integer().notNull(),
  path: text().notNull(),
  at: integer().notNull(),
  complete: integer().notNull().default(0),
})

export const cursors = sqliteTable('cursors', {
  consumer: text().primaryKey(),
  seq: integer().notNull(),
})
