import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The deliveries that something followed from, so that none is followed twice. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    webhook: text().notNull(),
    /** Digest of the signed parts. */
    digest: text().notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (delivery) => [
    primaryKey({ columns: [delivery.webhook, delivery.digest] }),
    index('webhook_deliveries_by_expiry').on(delivery.expiresAt),
  ],
)
