import type { Database } from 'bun:sqlite'

interface Trigger {
  name: string
  sql: string
}

/**
 * Takes triggers out of the database, inside the transaction under way, and returns what puts them back. A trigger costs
 * each row more than the row itself, even when it does nothing.
 */
export function suspendTriggers(db: Database, names: readonly string[]): () => void {
  const triggers = db
    .query<Trigger, [string]>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(names))
  if (triggers.length !== names.length) throw new Error(`the database lacks one of the triggers ${names.join(', ')}`)
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`)
  return () => {
    for (const { sql } of triggers) db.run(sql)
  }
}
