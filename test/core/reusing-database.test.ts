import { expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { openDatabase, ReusingDatabase } from '../../src/core/sqlite.ts'
import { tempFolder } from '../support/folder.ts'

const notes = sqliteTable('notes', { id: integer().primaryKey(), text: text().notNull() })

test('a query of drizzle that ran before is not compiled again, whatever its values', () => {
  using folder = tempFolder()
  using db = openDatabase(folder.at('a.db'))
  db.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  let compiled = 0
  const compile = db.compile.bind(db)
  db.compile = <Row>(sql: string) => {
    compiled++
    return compile<Row>(sql)
  }
  const orm = drizzle(db)
  for (const text of ['one', 'two', 'three']) orm.insert(notes).values({ text }).run()
  expect(compiled).toBe(1)
  const textOf = (id: number) => orm.select().from(notes).where(eq(notes.id, id)).get()?.text
  expect([1, 2, 3, 4].map(textOf)).toEqual(['one', 'two', 'three', undefined])
  expect(compiled).toBe(2)
  expect(
    orm
      .select()
      .from(notes)
      .where(inArray(notes.id, [1, 2]))
      .all(),
  ).toHaveLength(2)
  expect(compiled).toBe(3)
})

test('a database keeps 256 statements, of which the one that was not used for longest goes first', () => {
  using db = new ReusingDatabase(':memory:')
  const first = db.prepare('SELECT 0')
  const second = db.prepare('SELECT 1')
  for (let n = 2; n < 256; n++) db.prepare(`SELECT ${n}`)
  expect(db.prepare('SELECT 0')).toBe(first)
  db.prepare('SELECT 256')
  expect(db.prepare('SELECT 0')).toBe(first)
  expect(db.prepare('SELECT 1')).not.toBe(second)
  expect(second.values()).toEqual([[1]])
})

test('a statement with values of its own is shared with no one', () => {
  using db = new ReusingDatabase(':memory:')
  expect(db.prepare('SELECT ?', ['one']).values()).toEqual([['one']])
  expect(db.prepare('SELECT ?').values('two')).toEqual([['two']])
})
