import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** Table of entries to index: 1024 times the number of a bead, or the number of a comment. Triggers fill it. */
export const beadUnworded = sqliteTable('bead_unworded', { n: integer().primaryKey() })
