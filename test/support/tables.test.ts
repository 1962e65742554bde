import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { differences } from './tables.ts'

describe('the comparison of declared with migrated columns', () => {
  const rows = sqliteTable('rows', {
    n: integer().primaryKey(),
    name: text().notNull().default("it's"),
    state: text(),
    length: integer().generatedAlwaysAs(sql`length(name)`, { mode: 'stored' }),
  })
  const migrated = `CREATE TABLE rows (
    n INTEGER PRIMARY KEY AUTOINCREMENT, -- counts
    name TEXT NOT NULL DEFAULT 'it''s',
    state TEXT CHECK (state IN ('a', 'b')),
    length INTEGER GENERATED ALWAYS AS (length(name)) STORED
  )`

  function compare(statement: string): string[] {
    using db = new Database(':memory:')
    db.run(statement)
    return differences(db, [rows])
  }

  test('finds nothing where both agree, whatever keys, checks and indexes there are', () => {
    expect(compare(migrated)).toEqual([])
  })

  const changed: [string, string, string, string][] = [
    ['a name', 'state TEXT CHECK (state', 'status TEXT CHECK (status', 'rows.status text'],
    ['a type', 'state TEXT', 'state BLOB', 'rows.state blob'],
    ['a nullable column', 'TEXT NOT NULL DEFAULT', 'TEXT DEFAULT', "rows.name text default 'it''s'"],
    ['a default', "'it''s'", "'its'", "rows.name text not null default 'its'"],
    ['a generated column', '(length(name)) STORED', '(length(name)) VIRTUAL', 'generated (length(name)) virtual'],
    ['an expression', '(length(name))', '(length(state))', 'generated (length(state)) stored'],
  ]
  for (const [what, from, to, line] of changed) {
    test(`finds ${what} that differs`, () => {
      const found = compare(migrated.replace(from, to))
      expect(found).toHaveLength(2)
      expect(found.find((one) => one.startsWith('only migrated: '))).toEndWith(line)
    })
  }

  test('finds a column that only one has, and a table that was never made', () => {
    expect(compare(migrated.replace('length INTEGER', 'more TEXT, length INTEGER'))).toEqual([
      'only migrated: rows.more text',
    ])
    expect(compare('CREATE TABLE other (n INTEGER)')).toHaveLength(4)
  })
})
