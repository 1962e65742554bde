import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { query } from '../../src/core/store/index.ts'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'

test('compacting returns unused space to the disk while writes continue', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), ['CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL)'])
  const add = (text: string) => store.write((tx) => void tx.orm.run(`INSERT INTO notes (text) VALUES ('${text}')`))
  await Promise.all(Array.from({ length: 200 }, () => add('x'.repeat(50_000))))
  await store.write((tx) => void tx.orm.run('DELETE FROM notes'))
  const before = store.files.bytes
  const compacted = store.files.compact()
  await Promise.all([compacted, ...Array.from({ length: 50 }, () => add('small'))])
  await store.files.compact()
  expect(store.files.bytes).toBeLessThan(before / 10)
  expect(statSync(folder.at('a.db')).size).toBeLessThan(100_000)
  expect(store.get(query<{ n: number }>('SELECT count(*) AS n FROM notes'))?.n).toBe(50)
  await store.close()
})
