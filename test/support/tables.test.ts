import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { differences } from './tables.ts'

describe('the comparison of declared with migrated tables', () => {
  const parents = sqliteTable('parents', { id: text().primaryKey() })
  const rows = sqliteTable(
    'rows',
    {
      n: integer().primaryKey({ autoIncrement: true }),
      name: text().notNull().default("it's"),
      parent: text()
        .notNull()
        .references(() => parents.id, { onDelete: 'cascade' }),
      state: text(),
      length: integer().generatedAlwaysAs(sql`length(name)`, { mode: 'stored' }),
    },
    (row) => [
      check('state', sql`${row.state} IN ('a', 'b')`),
      uniqueIndex('rows_name').on(sql`lower(${row.name})`, row.parent).where(sql`${row.state} = 'a'`),
      index('rows_state').on(row.state),
    ],
  )
  const schema = {
    parents: 'CREATE TABLE parents (id TEXT PRIMARY KEY) WITHOUT ROWID',
    rows: `CREATE TABLE rows (
      n INTEGER PRIMARY KEY AUTOINCREMENT, -- counts
      name TEXT NOT NULL DEFAULT 'it''s',
      parent TEXT NOT NULL REFERENCES parents (id) ON DELETE CASCADE,
      state TEXT CHECK (state IN ('a', 'b')),
      length INTEGER GENERATED ALWAYS AS (length(name)) STORED
    )`,
    rows_name: `CREATE UNIQUE INDEX rows_name ON rows (lower(name), parent) WHERE state = 'a'`,
    rows_state: 'CREATE INDEX rows_state ON rows (state)',
  }

  function compare(changes: Partial<Record<keyof typeof schema | 'more', string>>): string[] {
    using db = new Database(':memory:')
    for (const statement of Object.values({ ...schema, ...changes })) db.run(statement)
    return differences(db, [parents, rows])
  }

  test('finds nothing where both agree', () => {
    expect(compare({})).toEqual([])
  })

  const changed: [string, string, string, string][] = [
    ['a type', 'state TEXT', 'state BLOB', 'rows.state blob'],
    ['a nullable column', 'TEXT NOT NULL DEFAULT', 'TEXT DEFAULT', "rows.name text default 'it''s'"],
    ['a default', "'it''s'", "'its'", "rows.name text not null default 'its'"],
    ['a generated column', '(length(name)) STORED', '(length(name)) VIRTUAL', 'generated length(name) virtual'],
    ['an expression', '(length(name))', '(length(state))', 'generated length(state) stored'],
    [
      'a foreign key',
      'ON DELETE CASCADE',
      'ON DELETE SET NULL',
      'references parents (id) on delete set null on update no action',
    ],
    ['a check', "('a', 'b'))", "('a', 'c'))", "rows check state in ('a', 'c')"],
    ['a collation', 'state TEXT', 'state TEXT COLLATE NOCASE', 'rows.state text collate nocase'],
  ]
  for (const [what, from, to, line] of changed) {
    test(`finds ${what} that differs`, () => {
      const differences = compare({ rows: schema.rows.replace(from, to) })
      expect(differences).toHaveLength(2)
      expect(differences.find((one) => one.startsWith('only migrated: '))).toEndWith(line)
    })
  }

  test('finds a key without AUTOINCREMENT, and a missing UNIQUE', () => {
    expect(compare({ rows: schema.rows.replace(' AUTOINCREMENT', '') })).toEqual(['only declared: rows autoincrement'])
    expect(compare({ parents: 'CREATE TABLE parents (id TEXT PRIMARY KEY, other TEXT UNIQUE)' })).toEqual([
      'only migrated: parents unique (other)',
      'only migrated: parents.other text',
    ])
  })

  test('finds indexes that differ, in their columns, expressions and conditions', () => {
    expect(compare({ rows_state: 'CREATE INDEX rows_state ON rows (state DESC)' })).toEqual([
      'only declared: rows index rows_state state',
      'only migrated: rows index rows_state state desc',
    ])
    for (const rest of ["(name, parent) WHERE state = 'a'", "(lower(name), parent) WHERE state = 'b'"]) {
      expect(compare({ rows_name: `CREATE UNIQUE INDEX rows_name ON rows ${rest}` })).toHaveLength(2)
    }
    expect(compare({ rows_name: schema.rows_name.replace('UNIQUE ', '') })).toHaveLength(2)
  })

  test('finds tables and virtual tables that no one declares', () => {
    expect(compare({ more: 'CREATE TABLE more (n INTEGER)' })).toEqual([
      'only migrated: more',
      'only migrated: more.n integer',
    ])
    expect(compare({ more: 'CREATE VIRTUAL TABLE words USING fts5(word)' })).toEqual(['only migrated: words (virtual)'])
  })
})
