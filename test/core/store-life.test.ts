import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { query } from '../../src/core/store/index.ts'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'
import { errorOf, NOTES, open, openFiles, rejectionOf, turns } from './store-helpers.ts'

describe('opening', () => {
  test('creates a database and its folder readable only by their owner', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('city', '.gc', 'city.db'))
    await add('one')
    expect(statSync(folder.at('city', '.gc')).mode & 0o777).toBe(0o700)
    for (const name of ['city.db', 'city.db-wal', 'city.db-shm']) {
      expect(statSync(folder.at('city', '.gc', name)).mode & 0o777).toBe(0o600)
    }
    await store.close()
  })

  test('rejects a database from a newer version with an explanation and leaves it unchanged', async () => {
    using folder = tempFolder()
    await Store.open(folder.at('a.db'), [NOTES, 'CREATE TABLE later (id INTEGER)']).close()
    const { code, message } = errorOf(() => Store.open(folder.at('a.db'), [NOTES]))
    expect(code).toBe('store-unavailable')
    expect(message).toContain('was written by a newer gc (version 2, this one knows 1)')
    expect(openFiles(folder.path)).toEqual([])
  })

  test('keeps the previous schema version if a migration fails', async () => {
    using folder = tempFolder()
    expect(() => Store.open(folder.at('a.db'), [NOTES, 'CREATE TABLE half (id INTEGER); nonsense'])).toThrow()
    const store = Store.open(folder.at('a.db'), [NOTES])
    const tables = query<{ name: string }>("SELECT name FROM sqlite_schema WHERE name IN ('notes', 'half')")
    expect(store.all(tables)).toEqual([{ name: 'notes' }])
    await store.close()
  })

  test('rejects a file that is not a database with an explanation and leaves it unchanged', () => {
    using folder = tempFolder()
    writeFileSync(folder.at('a.db'), 'these are notes of a person, '.repeat(400))
    const { code, message } = errorOf(() => open(folder.at('a.db')))
    expect(code).toBe('store-unavailable')
    expect(message).toBe(`${folder.at('a.db')} is not a database; move it away, or restore a backup in its place`)
    expect(statSync(folder.at('a.db')).size).toBe(29 * 400)
    expect(openFiles(folder.path)).toEqual([])
  })

  test('rejects a path whose folder is a file with an explanation', () => {
    using folder = tempFolder()
    writeFileSync(folder.at('file'), '')
    const { code, message } = errorOf(() => open(folder.at('file', 'a.db')))
    expect(code).toBe('store-unavailable')
    expect(message).toContain('cannot be opened as a database')
  })
})

describe('a newer gc', () => {
  test('runs code in the transaction of its last migration, and none for a database that it made', async () => {
    using folder = tempFolder()
    const more = ['CREATE TABLE more (n INTEGER)', 'CREATE TABLE most (n INTEGER)']
    const onMigrated = (db: Database) => void db.run('INSERT INTO most VALUES (1)')
    const rows = async (path: string) => {
      const store = Store.open(path, [NOTES, ...more], { onMigrated })
      const found = store.all(query<{ n: number }>('SELECT n FROM most'))
      await store.close()
      return found
    }
    await open(folder.at('old.db')).store.close()
    expect(await rows(folder.at('old.db'))).toEqual([{ n: 1 }])
    expect(await rows(folder.at('old.db'))).toEqual([{ n: 1 }])
    expect(await rows(folder.at('new.db'))).toEqual([])
  })
})

describe('closing', () => {
  test('completes accepted writes, rejects later ones and leaves no file open', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const prepared = query<unknown>('SELECT 1')
    const effects: number[] = []
    const accepted = [add('one', (tx) => tx.after(() => effects.push(texts().length))), add('two')]
    const closing = store.close()
    expect((await rejectionOf(add('three'))).message).toBe(`${folder.at('a.db')} is closed`)
    expect(await Promise.all(accepted)).toEqual([1, 2])
    expect(effects).toEqual([2])
    await closing
    await store.close()
    expect(() => texts()).toThrow('is closed')
    for (const use of [() => store.all(prepared), () => store.get(prepared), () => [...store.iterate(prepared)]]) {
      expect(use).toThrow(`${folder.at('a.db')} is closed`)
    }
    expect(openFiles(folder.path)).toEqual([])
    expect(readdirSync(folder.path)).toEqual(['a.db'])
  })

  test('lets go of its files while the thread that copies logs works for another store', async () => {
    using folder = tempFolder()
    const [{ store, add }, other] = [open(folder.at('a.db'), { checkpointAt: 1 }), open(folder.at('other.db'))]
    await add('one')
    await store.close()
    expect(openFiles(folder.at('a.db'))).toEqual([])
    await other.store.close()
  })

  test('lets the process exit on its own', async () => {
    using folder = tempFolder()
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/children/open-close.ts`, folder.at('a.db')], {
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 10_000,
    })
    expect(await child.exited).toBe(0)
    expect((await child.stdout.text()).trim()).toBe('closed')
  })
})

describe('other processes', () => {
  /** Runs the statements in a separate process, which prints the rows of each. */
  const query = (path: string, ...statements: string[]) => {
    const script = `
      const db = new (require('bun:sqlite').Database)(process.argv[1])
      db.run('PRAGMA busy_timeout = 5000')
      for (const sql of process.argv.slice(2)) console.log(JSON.stringify(db.query(sql).values()))`
    return Bun.spawn([process.execPath, '-e', script, path, ...statements], { stdout: 'pipe', stderr: 'inherit' })
  }

  test('can read and write a live database without losing our writes', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const ours = Promise.all(Array.from({ length: 200 }, (_, n) => add(`ours ${n}`)))
    for (let n = 0; n < 5; n++) {
      const insert = query(folder.at('a.db'), `INSERT INTO notes (text) VALUES ('theirs ${n}')`)
      expect(await insert.exited).toBe(0)
      await add(`after theirs ${n}`)
    }
    await ours
    const count = query(folder.at('a.db'), 'SELECT count(*) FROM notes')
    expect((await count.stdout.text()).trim()).toBe('[[210]]')
    expect(texts()).toHaveLength(210)
    await store.close()
  })

  test('that hold the write lock make a write wait without blocking the event loop', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    const other = new Database(folder.at('a.db'))
    other.run('BEGIN IMMEDIATE')
    const writing = add('one')
    const order: string[] = []
    const done = writing.then(() => order.push('written'))
    await turns(50)
    order.push('let go')
    other.run('ROLLBACK')
    other.close(true)
    await done
    expect(order).toEqual(['let go', 'written'])
    await store.close()
  })
})

describe('reading in a worker', () => {
  test('sees what was committed before each query and leaves the store working', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    await add('one')
    const seen = await store.files.readInWorker(async (rows) => {
      const before = await rows<{ text: string }>('SELECT text FROM notes WHERE id > ?', 0)
      await add('two')
      return [before, await rows<{ text: string }>('SELECT text FROM notes WHERE id > ?', 1)]
    })
    expect(seen).toEqual([[{ text: 'one' }], [{ text: 'two' }]])
    await store.close()
    expect(existsSync(folder.at('a.db-wal'))).toBe(false)
  })

  test('rejects an invalid query with the SQL error', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    await expect(store.files.readInWorker((rows) => rows('SELECT absent FROM notes'))).rejects.toThrow(
      'no such column: absent',
    )
    await add('one')
    await store.close()
  })
})

describe('backing up', () => {
  test('copies what was committed and leaves the store working', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    await Promise.all(Array.from({ length: 500 }, (_, n) => add(`note ${n}`)))
    const backup = store.files.backup(folder.at('kept', 'copy.db'))
    await add('during')
    await backup
    expect(readdirSync(folder.at('kept'))).toEqual(['copy.db'])
    expect(statSync(folder.at('kept', 'copy.db')).mode & 0o777).toBe(0o600)
    const copy = open(folder.at('kept', 'copy.db'))
    expect(copy.texts().length).toBeGreaterThanOrEqual(500)
    expect(copy.store.all(query<unknown>('PRAGMA integrity_check'))).toEqual([{ integrity_check: 'ok' }])
    await copy.store.close()
    await store.close()
    expect(existsSync(folder.at('a.db-wal'))).toBe(false)
  })

  test('never replaces an existing file', async () => {
    using folder = tempFolder()
    const { store } = open(folder.at('a.db'))
    writeFileSync(folder.at('copy.db'), 'mine')
    expect((await rejectionOf(store.files.backup(folder.at('copy.db')))).message).toContain(
      'give the backup a new name',
    )
    expect(statSync(folder.at('copy.db')).size).toBe(4)
    await store.close()
  })

  test('explains a failure and leaves no file behind', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    await add('one')
    mkdirSync(folder.at('kept', 'copy.db.part', 'in the way'), { recursive: true })
    const { code, message } = await rejectionOf(store.files.backup(folder.at('kept', 'copy.db')))
    expect(code).toBe('store-unavailable')
    expect(message).toContain(`${folder.at('kept', 'copy.db')} could not be written: `)
    expect(existsSync(folder.at('kept', 'copy.db'))).toBe(false)
    await add('two')
    await store.close()
  })
})
