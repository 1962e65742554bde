import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { command, query } from '../../src/core/store/index.ts'
import { stablePlan } from '../../src/core/store/stable-plan.ts'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'

describe('a stable plan', () => {
  test('wraps every parameter in likely() and ignores question marks in quoted text and comments', () => {
    expect(stablePlan('SELECT ?, ?2 FROM a LIMIT ?')).toBe('SELECT likely(?), likely(?2) FROM a LIMIT likely(?)')
    const plain = `SELECT '?', 'it''s ?', "a?b" FROM a -- why?`
    expect(stablePlan(`${plain}\nWHERE b = ?`)).toBe(`${plain}\nWHERE b = likely(?)`)
  })

  test('uses the same index, compares with the affinity of the column and writes the bound values', async () => {
    using folder = tempFolder()
    const tables =
      'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, n INTEGER); CREATE INDEX notes_n ON notes (n)'
    const store = Store.open(folder.at('a.db'), [tables])
    const insert = command<[string, number]>(
      stablePlan('INSERT INTO notes (text, n) VALUES (?, ?) ON CONFLICT DO UPDATE SET n = ?2'),
    )
    await store.write((tx) => void tx.run(insert, '1', 7))
    const plan = query<{ detail: string }, [] | [number, number]>(
      stablePlan('EXPLAIN QUERY PLAN SELECT * FROM notes WHERE n = ? LIMIT ?'),
    )
    expect(store.all(plan).map(({ detail }) => detail)).toEqual(['SEARCH notes USING INDEX notes_n (n=?)'])
    expect(
      store.all(query<unknown, [string, number]>(stablePlan('SELECT text, n FROM notes WHERE n = ? LIMIT ?')), '7', 1),
    ).toEqual([{ text: '1', n: 7 }])
    expect(store.all(query<unknown, [number]>(stablePlan('SELECT n FROM notes WHERE text = ?')), 1)).toEqual([{ n: 7 }])
    await store.close()
  })

  test('compiles to the same bytecode whatever is bound, unlike a bare parameter', () => {
    using db = new Database(':memory:')
    db.run('CREATE TABLE notes (id INTEGER PRIMARY KEY)')
    const program = (sql: string, limit: number) => db.prepare(`EXPLAIN ${sql}`).all(limit)
    const bare = 'SELECT id FROM notes LIMIT ?'
    expect(program(bare, 3)).not.toEqual(program(bare, 5))
    expect(program(stablePlan(bare), 3)).toEqual(program(stablePlan(bare), 5))
  })
})
