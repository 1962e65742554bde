import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Drains that have runs to write for members of their convoys. */
export const runDrains = sqliteTable('run_drains', { controlId: text('control_id').notNull() })
