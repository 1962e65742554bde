import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The people who own agents, by the identity provider that knows them. */
export const owners = sqliteTable('owners', {
  n: integer().notNull(),
  id: text().notNull(),
  provider: text().notNull(),
  subject: text().notNull(),
  name: text().notNull(),
  /** Always empty; no provider is asked for it. */
  created_at: integer().notNull(),
})

/** The claim of each agent, with its token and code as hashes. */
export const agentClaims = sqliteTable('agent_claims', {
  agent: integer().notNull(),
  token: text().notNull(),
  code: text().notNull(),
  attempts: integer().notNull().default(0),
  created_at: integer().notNull(),
  taken: integer().notNull().default(0),
})
