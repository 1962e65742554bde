import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { acquireSharedWorker } from '../../src/core/store/database-worker.ts'
import { command, query } from '../../src/core/store/index.ts'
import { Store } from '../../src/core/store/store.ts'
import { Wal } from '../../src/core/store/wal.ts'
import { WalIndex } from '../../src/core/store/wal-index.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'

const NOTES = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)']
const KB = 1024
const HEADER = 32
const FRAME = 4096 + 24

test('the log is checkpointed off the event loop while writes continue, and does not grow without bound', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), NOTES, { checkpointAt: 256 * KB, restartAt: 1024 * KB })
  const insert = command<[string]>('INSERT INTO notes (text) VALUES (?)')
  const text = 'x'.repeat(3000)
  for (let n = 0; n < 400; n++) {
    await Promise.all(Array.from({ length: 10 }, () => store.write((tx) => void tx.run(insert, text))))
  }
  const written = async () => {
    await store.write((tx) => void tx.run(insert, text))
    return statSync(folder.at('a.db')).size
  }
  await eventually('the log is in the database', 10_000, written, (size) => size > 4000 * 3000 * 0.8)
  expect(statSync(folder.at('a.db-wal')).size).toBeLessThan(8 * 1024 * KB)
  await store.close()
  expect(readdirSync(folder.path)).toEqual(['a.db'])
})

test('a long-lived reader retains the log without blocking writes', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), NOTES, { checkpointAt: 64 * KB, restartAt: 256 * KB })
  const insert = command<[string]>('INSERT INTO notes (text) VALUES (?)')
  await store.write((tx) => void tx.run(insert, 'first'))
  const reader = new Database(folder.at('a.db'), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT * FROM notes').all()
  for (let n = 0; n < 60; n++) {
    await Promise.all(Array.from({ length: 10 }, () => store.write((tx) => void tx.run(insert, 'x'.repeat(2000)))))
  }
  expect(reader.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 1 })
  reader.run('COMMIT')
  expect(reader.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 601 })
  reader.close(true)
  await store.close()
  const again = Store.open(folder.at('a.db'), NOTES)
  expect(again.get(query<unknown>('SELECT count(*) AS n FROM notes'))).toEqual({ n: 601 })
  await again.close()
})

test('a log whose reader has ended is copied with the next write, and starts over', async () => {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), NOTES, { checkpointAt: 64 * KB })
  const write = () =>
    store.write((tx) => void tx.run(command<[string]>('INSERT INTO notes (text) VALUES (?)'), 'x'.repeat(4000)))
  await write()
  const reader = new Database(folder.at('a.db'), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT * FROM notes').all()
  for (let n = 0; n < 20; n++) await write()
  const shared = acquireSharedWorker()
  const copied = () =>
    shared.worker.rows(folder.at('a.db'), 'SELECT 1', []).then(() => statSync(folder.at('a.db')).size)
  expect(await copied()).toBeLessThan(64 * KB)
  reader.close(true)
  await write()
  const first = await copied()
  expect(first).toBeGreaterThan(64 * KB)
  for (let n = 0; n < 20; n++) await write()
  expect(await copied()).toBeGreaterThan(first + 60 * KB)
  await shared.release()
  await store.close()
})

test('all stores share the thread that copies their logs, until the last is closed', async () => {
  const [first, second] = [acquireSharedWorker(), acquireSharedWorker()]
  await first.release()
  const third = acquireSharedWorker()
  expect(third.worker).toBe(second.worker)
  await second.release()
  await third.release()
})

test('measures the log from its last restart, for any file size', () => {
  using folder = tempFolder()
  const db = new Database(folder.at('a.db'), { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('CREATE TABLE notes (text TEXT)')
  const index = new WalIndex(folder.at('a.db'))
  const size = () => statSync(folder.at('a.db-wal')).size
  for (let n = 0; n < 50; n++) db.run('INSERT INTO notes VALUES (?)', ['x'.repeat(3000)])
  const before = index.position()
  expect(before.bytes).toBe(before.frames * FRAME)
  expect(size()).toBe(HEADER + before.bytes)
  expect(db.query('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ log: before.frames })
  db.run("INSERT INTO notes VALUES ('over')")
  const after = index.position()
  expect(after.salt).not.toBe(before.salt)
  expect(after.bytes).toBe(after.frames * FRAME)
  expect(after.frames).toBeLessThan(before.frames)
  expect(size()).toBe(HEADER + before.bytes)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(index.position()).toMatchObject({ frames: 0, bytes: 0 })
  db.close(true)
  index.close()
})

test('a commit after a position is in the log alone, even if those before it are in the database', () => {
  using folder = tempFolder()
  const db = new Database(folder.at('a.db'), { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('CREATE TABLE notes (text TEXT)')
  const index = new WalIndex(folder.at('a.db'))
  const reader = new Database(folder.at('a.db'), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT text FROM notes').all()
  const position = index.position()
  expect(db.query('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ checkpointed: position.frames })
  db.run("INSERT INTO notes VALUES ('after')")
  expect(index.aftermathOf(position)).toBe('in the log')
  reader.close(true)
  db.run('PRAGMA wal_checkpoint(PASSIVE)')
  expect(index.aftermathOf(position)).toBe('in the database')
  db.close(true)
  index.close()
})

test('undoes writes after a position, also if the log restarted since', () => {
  using folder = tempFolder()
  const db = new Database(folder.at('a.db'), { create: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  db.run('CREATE TABLE notes (text TEXT)')
  const [wal, index] = [new Wal(folder.at('a.db')), new WalIndex(folder.at('a.db'))]
  db.run("INSERT INTO notes VALUES ('kept')")
  const position = index.position()
  db.run("INSERT INTO notes VALUES ('taken back')")
  wal.cutTo(position)
  expect(wal.size).toBe(HEADER + position.bytes)
  index.invalidate()
  expect(db.query('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }])
  db.run('PRAGMA wal_checkpoint(RESTART)')
  db.run("INSERT INTO notes VALUES ('taken back, too')")
  wal.cutTo(position)
  expect(wal.size).toBe(0)
  index.invalidate()
  expect(db.query('SELECT text FROM notes').all()).toEqual([{ text: 'kept' }])
  wal.close()
  db.close(true)
  index.close()
})
