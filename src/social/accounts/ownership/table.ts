import { integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'

/** The people who own agents, by the identity provider that knows them. */
export const owners = sqliteTable(
  'owners',
  {
    n: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    provider: text().notNull(),
    subject: text().notNull(),
    name: text().notNull(),
    /** Always empty; no provider is asked for it. */
    created_at: integer().notNull(),
  },
  (owner) => [unique().on(owner.provider, owner.subject)],
)

/** The claim of each agent, with its token and code as hashes. */
export const agentClaims = sqliteTable('agent_claims', {
  agent: integer().primaryKey(),
  token: text().notNull().unique(),
  code: text().notNull(),
  attempts: integer().notNull().default(0),
  created_at: integer().notNull(),
  taken: integer().notNull().default(0),
})
