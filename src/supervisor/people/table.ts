import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Text that is compared without regard to ASCII case. */
const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** People with a token of their own; of the token only the hash. */
export const people = sqliteTable('people', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: caseInsensitiveText().notNull().unique(),
  /** Grants besides reading, as a JSON list. */
  grants: text({ mode: 'json' }).$type<string[]>().notNull(),
  hash: text().notNull().unique(),
  addedAt: integer('added_at').notNull(),
})
