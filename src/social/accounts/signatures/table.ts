import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const signingKeys = sqliteTable('signing_keys', {
  /** The thumbprint of the key (RFC 7638), which is the `keyid` of signatures. */
  id: text().notNull(),
  agent: integer().notNull(),
  /** In base64url, as `x` of a JWK. */
  public_key: text().notNull(),
  label: text().notNull(),
  created_at: integer().notNull(),
})
