import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { databaseVersion, keptCopies, restoreCopy } from '../../src/core/store/kept-copies.ts'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'

const MIGRATIONS = ['a', 'b', 'c', 'd'].map((name) => `CREATE TABLE ${name} (n INTEGER)`)

const open = (path: string, version: number) => Store.open(path, MIGRATIONS.slice(0, version), { keepsCopies: true })

function tablesOf(path: string): string[] {
  using db = new Database(path, { readwrite: true })
  return db
    .query<{ name: string }, []>('SELECT name FROM sqlite_schema ORDER BY name')
    .all()
    .map(({ name }) => name)
}

test('a database is copied beside itself before a newer gc changes it, and the last two copies stay', async () => {
  using folder = tempFolder()
  const path = folder.at('city.db')
  await open(path, 1).close()
  expect(keptCopies(path)).toEqual([])
  for (const version of [2, 3, 4, 4]) await open(path, version).close()
  expect(databaseVersion(path)).toBe(4)
  expect(keptCopies(path).map(({ version }) => version)).toEqual([2, 3])
  expect(keptCopies(path).map((copy) => tablesOf(copy.path))).toEqual([
    ['a', 'b'],
    ['a', 'b', 'c'],
  ])
  expect(keptCopies(path).map((copy) => statSync(copy.path).mode & 0o077)).toEqual([0, 0])
})

test('a copy is put back, and what was there stays as the copy of its version', async () => {
  using folder = tempFolder()
  const path = folder.at('city.db')
  await open(path, 2).close()
  const store = open(path, 3)
  await store.write((tx) => void tx.orm.run('INSERT INTO c VALUES (7)'))
  await store.close()
  const [copy] = keptCopies(path)
  if (!copy) throw new Error('no copy was kept')
  restoreCopy(path, copy)
  expect([databaseVersion(path), tablesOf(path)]).toEqual([2, ['a', 'b']])
  expect(keptCopies(path).map(({ version }) => version)).toEqual([2, 3])
  using db = new Database(`${path}.v3`, { readonly: true })
  expect(db.query('SELECT n FROM c').all()).toEqual([{ n: 7 }])
  await open(path, 2).close()
})

test('a database that cannot be copied is not changed', async () => {
  using folder = tempFolder()
  const path = folder.at('city.db')
  await open(path, 1).close()
  mkdirSync(`${path}.v1`)
  expect(() => open(path, 2)).toThrow('no copy of it could be kept beside it')
  expect(databaseVersion(path)).toBe(1)
  expect(readdirSync(folder.path).sort()).toEqual(['city.db', 'city.db.v1'])
})
