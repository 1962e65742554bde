import { customType, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Text that is compared without regard to ASCII case. */
const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** The registered cities; everything else of a city is in its own folder. */
export const cities = sqliteTable('cities', {
  name: caseInsensitiveText().primaryKey(),
  path: text().notNull().unique(),
  registeredAt: integer('registered_at').notNull(),
})

/** When this supervisor ran; a run without an end crashed. */
export const runs = sqliteTable('runs', {
  id: integer().primaryKey(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
})
