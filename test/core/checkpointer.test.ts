import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { Store } from '../../src/core/store.ts'
import { Wal } from '../../src/core/wal.ts'
import { tempFolder } from '../support/folder.ts'

const NOTES = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)']
const KB = 1024
const FRAME = 4096 + 24

test('the log is checkpointed off the event loop while writes continue, and does not grow without bound', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), NOTES, { checkpointAt: 256 * KB, restartAt: 1024 * KB })
  const insert = store.prepare('INSERT INTO notes (text) VALUES (?)')
  const text = 'x'.repeat(3000)
  for (let n = 0; n < 400; n++) {
    await Promise.all(Array.from({ length: 10 }, () => store.write(() => void insert.run(text))))
  }
  expect(statSync(folder.at('a.db')).size).toBeGreaterThan(4000 * 3000 * 0.8)
  expect(statSync(folder.at('a.db-wal')).size).toBeLessThan(8 * 1024 * KB)
  await store.close()
  expect(readdirSync(folder.path)).toEqual(['a.db'])
})

test('a long-lived reader retains the log without blocking writes', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), NOTES, { checkpointAt: 64 * KB, restartAt: 256 * KB })
  const insert = store.prepare('INSERT INTO notes (text) VALUES (?)')
  await store.write(() => void insert.run('first'))
  const reader = new Database(folder.at('a.db'), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT * FROM notes').all()
  for (let n = 0; n < 60; n++) {
    await Promise.all(Array.from({ length: 10 }, () => store.write(() => void insert.run('x'.repeat(2000)))))
  }
  expect(reader.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 1 })
  reader.run('COMMIT')
  expect(reader.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 601 })
  reader.close(true)
  await store.close()
  const again = Store.open(folder.at('a.db'), NOTES)
  expect(again.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 601 })
  await again.close()
})

test('the bytes in use count from the last restart of the log, whatever the file size', () => {
  using folder = tempFolder()
  const db = new Database(folder.at('a.db'), { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('CREATE TABLE notes (text TEXT)')
  const wal = new Wal(folder.at('a.db'))
  for (let n = 0; n < 50; n++) db.run('INSERT INTO notes VALUES (?)', ['x'.repeat(3000)])
  const frames = () => (db.query('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number }).log
  const before = wal.generation
  const used = before.bytes
  expect(used).toBe(frames() * FRAME)
  expect([1, used, used + 1].map((bytes) => before.hasBytes(bytes))).toEqual([true, true, false])
  const size = wal.size
  db.run("INSERT INTO notes VALUES ('over')")
  const after = wal.generation
  expect(wal.size).toBe(size)
  expect(after.salt).not.toBe(before.salt)
  expect(after.bytes).toBe(frames() * FRAME)
  expect(after.bytes).toBeLessThan(used)
  expect([1, after.bytes, after.bytes + 1, used].map((bytes) => after.hasBytes(bytes))).toEqual([
    true,
    true,
    false,
    false,
  ])
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(wal.generation.bytes).toBe(0)
  wal.close()
  db.close(true)
})
