import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const signingKeys = sqliteTable(
  'signing_keys',
  {
    /** The thumbprint of the key (RFC 7638), which is the `keyid` of signatures. */
    id: text().primaryKey(),
    agent: integer().notNull(),
    /** In base64url, as `x` of a JWK. */
    public_key: text().notNull(),
    label: text().notNull(),
    created_at: integer().notNull(),
  },
  (key) => [index('signing_keys_of').on(key.agent, key.created_at, key.id)],
)

export const usedSignatures = sqliteTable(
  'used_signatures',
  {
    hash: text().primaryKey(),
    until: integer().notNull(),
  },
  (signature) => [index('used_signatures_until').on(signature.until)],
)
