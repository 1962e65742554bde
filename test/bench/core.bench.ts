import { Database } from 'bun:sqlite'
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { command } from '../../src/core/store/index.ts'
import { Store, type StoreOptions } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'

/**
 * The store against bare bun:sqlite doing the same rows: in shared commits, and with one sync for each write. Then how
 * long the loop stalls under a steady 1,000 writes a second, on this disk and on one that takes 8 ms for each sync.
 * `npm run bench` or `bun test/bench/core.bench.ts`.
 */

const SECONDS = 3
const WRITERS = 64
const GROUP = 64
const TABLE = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL)'
const INDEX = 'CREATE INDEX notes_owner ON notes (owner)'
const INSERT = 'INSERT INTO notes (owner, text) VALUES (?, ?)'
const TEXT = 'x'.repeat(200)

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const whole = (rate: number): string => Math.round(rate).toLocaleString('en')

/** Durable writes a second of so many clients, each of which waits for its write before the next. */
async function stored(options: StoreOptions = {}): Promise<number> {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), [TABLE, INDEX], options)
  const insert = command<[string, string]>(INSERT)
  const end = performance.now() + SECONDS * 1000
  let writes = 0
  const client = async (owner: string): Promise<void> => {
    while (performance.now() < end) {
      await store.write((tx) => void tx.run(insert, owner, TEXT))
      writes++
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => client(`owner ${n}`)))
  await store.close()
  return writes / SECONDS
}

function bareDatabase(path: string) {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = NORMAL')
  db.run(TABLE)
  db.run(INDEX)
  return { db, insert: db.prepare(INSERT), log: openSync(`${path}-wal`, 'r') }
}

/** Rows a second in commits of so many, each synced before the next: what could at best be had. */
function bare(group: number): number {
  using folder = tempFolder()
  const { db, insert, log } = bareDatabase(folder.at('a.db'))
  const end = performance.now() + SECONDS * 1000
  let rows = 0
  while (performance.now() < end) {
    db.run('BEGIN IMMEDIATE')
    for (let n = 0; n < group; n++) insert.run(`owner ${n}`, TEXT)
    db.run('COMMIT')
    fdatasyncSync(log)
    rows += group
  }
  closeSync(log)
  db.close(true)
  return rows / SECONDS
}

/** Milliseconds by which a tick of the loop comes late, at its 99.9th percentile, under 1,000 writes a second. */
async function stall(options: StoreOptions = {}): Promise<{ p999: number; worst: number; rate: number }> {
  using folder = tempFolder()
  const store = Store.open(folder.at('a.db'), [TABLE, INDEX], options)
  const insert = command<[string, string]>(INSERT)
  const late: number[] = []
  const writes: Promise<void>[] = []
  const started = performance.now()
  for (let last = started; last - started < 2 * SECONDS * 1000; ) {
    const owed = Math.floor(last - started) - writes.length
    for (let n = 0; n < owed; n++) writes.push(store.write((tx) => void tx.run(insert, `owner ${n}`, TEXT)))
    await new Promise((resolve) => setTimeout(resolve, 1))
    const now = performance.now()
    late.push(now - last - 1)
    last = now
  }
  await Promise.all(writes)
  await store.close()
  late.sort((a, b) => a - b)
  const p999 = late[Math.floor(late.length * 0.999)] ?? 0
  return { p999, worst: late.at(-1) ?? 0, rate: writes.length / (2 * SECONDS) }
}

const slowDisk: StoreOptions['sync'] = (file) =>
  new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : setTimeout(resolve, 8))))

const ours = await stored()
const shared = bare(GROUP)
const single = bare(1)
say(`durable writes, ${WRITERS} clients        ${whole(ours)} a second`)
say(`bun:sqlite, commits of ${GROUP}, synced   ${whole(shared)} a second   we have ${(ours / shared).toFixed(2)} of it`)
say(`bun:sqlite, one sync for each write  ${whole(single)} a second   we have ${(ours / single).toFixed(1)} times it`)
for (const [name, options] of [
  ['this disk', {}],
  ['a disk of 8 ms', { sync: slowDisk }],
] as const) {
  const { p999, worst, rate } = await stall(options)
  say(`loop stall at ${whole(rate)} writes/s, ${name}: p99.9 ${p999.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`)
}
