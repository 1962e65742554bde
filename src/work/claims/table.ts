import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row for each bead that was ever claimed; `session` is null while no one holds it. */
export const claims = sqliteTable(
  'claims',
  {
    beadId: text('bead_id').primaryKey(),
    epoch: integer().notNull(),
    session: text(),
    sessionName: text('session_name').notNull(),
    incarnation: text().notNull(),
    identity: text().notNull(),
    /** True if the bead was assigned to its holder before it was claimed. */
    assigned: integer({ mode: 'boolean' }).notNull(),
    takenAt: integer('taken_at').notNull(),
    expiresAt: integer('expires_at'),
  },
  (claim) => [
    index('claims_held').on(claim.session, claim.takenAt, claim.beadId).where(sql`session IS NOT NULL`),
    index('claims_due').on(claim.expiresAt).where(sql`session IS NOT NULL AND expires_at IS NOT NULL`),
  ],
)

/** The claims that were revoked, until the session claims the bead again or is closed. */
export const claimLosses = sqliteTable(
  'claim_losses',
  { session: text().notNull(), beadId: text('bead_id').notNull() },
  (loss) => [primaryKey({ columns: [loss.session, loss.beadId] })],
)
