import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { query } from '../../src/core/store/index.ts'
import { tempFolder } from '../support/folder.ts'
import { open, turns } from './store-helpers.ts'

test('reads of one tick see the same rows, and writes of another connection appear in the next tick', async () => {
  using folder = tempFolder()
  const { store, add, texts } = open(folder.at('a.db'))
  await add('one')
  const other = new Database(folder.at('a.db'))
  store.beginRead()
  expect(texts()).toEqual(['one'])
  other.run("INSERT INTO notes (text) VALUES ('two')")
  store.beginRead()
  expect(texts()).toEqual(['one'])
  await turns(2)
  store.beginRead()
  expect(texts()).toEqual(['one', 'two'])
  other.close()
  await store.close()
})

test('a read sees every acknowledged write even if its transaction began earlier', async () => {
  using folder = tempFolder()
  const { store, add, texts } = open(folder.at('a.db'))
  for (let n = 0; n < 50; n++) {
    store.beginRead()
    expect(texts()).toHaveLength(n)
    await add(`note ${n}`)
    expect(texts()).toHaveLength(n + 1)
  }
  await store.close()
})

test('a read transaction ends with its tick so that the log can restart', async () => {
  using folder = tempFolder()
  const { store, add, texts } = open(folder.at('a.db'))
  await add('one')
  const other = new Database(folder.at('a.db'))
  const checkpoint = () => other.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy
  store.beginRead()
  texts()
  expect(checkpoint()).toBe(1)
  await turns(2)
  expect(checkpoint()).toBe(0)
  other.close()
  await store.close()
})

test('an unfinished read does not prevent writes from committing', async () => {
  using folder = tempFolder()
  const { store, add, texts } = open(folder.at('a.db'))
  await Promise.all(['one', 'two', 'three'].map((text) => add(text)))
  const rows = query<{ text: string }>('SELECT text FROM notes ORDER BY id')
  store.beginRead()
  const unfinished = store.iterate(rows)
  expect(unfinished.next().value).toEqual({ text: 'one' })
  await add('four')
  store.beginRead()
  await turns(2)
  await add('five')
  expect(texts()).toEqual(['one', 'two', 'three', 'four', 'five'])
  unfinished.return?.()
  await add('six')
  expect(texts()).toHaveLength(6)
  await store.close()
})

test('a read within a write sees that write, and beginning one on a closed store does nothing', async () => {
  using folder = tempFolder()
  const { store, add, texts } = open(folder.at('a.db'))
  await add('one', () => {
    store.beginRead()
    expect(texts()).toEqual(['one'])
  })
  await turns(2)
  await add('two')
  store.beginRead()
  await store.close()
  store.beginRead()
  await turns(2)
  expect(() => store.read(() => 1)).toThrow('is closed')
})
