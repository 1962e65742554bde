import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const claims = sqliteTable('claims', {
  beadId: text('bead_id').primaryKey(),
  epoch: integer().notNull(),
  session: text(),
  sessionName: text('session_name').notNull(),
  incarnation: text().notNull(),
  identity: text().notNull(),
  hosted: integer({ mode: 'boolean' }).notNull(),
  assigned: integer({ mode: 'boolean' }).notNull(),
  takenAt: integer('taken_at').notNull(),
  expiresAt: integer('expires_at'),
})

export const claimLosses = sqliteTable(
  'claim_losses',
  { session: text().notNull(), beadId: text('bead_id').notNull() },
  (loss) => [primaryKey({ columns: [loss.session, loss.beadId] })],
)
