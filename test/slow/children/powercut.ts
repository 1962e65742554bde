import { writeSync } from 'node:fs'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'

/**
 * Writes in a loop and reports each acknowledged write immediately; `unsynced` acknowledges what is not yet on disk.
 */
const [, , path = '', run = '0', how] = process.argv
const store = Store.open(
  path,
  ['CREATE TABLE notes (id TEXT PRIMARY KEY, size INTEGER NOT NULL, text TEXT NOT NULL)'],
  {
    checkpointAt: 256 * 1024,
    restartAt: 1024 * 1024,
    ...(how === 'unsynced' && { sync: async () => {} }),
  },
)
const insert = command<[string, number, string]>('INSERT INTO notes (id, size, text) VALUES (?, ?, ?)')
let next = 0

async function writer(): Promise<void> {
  for (;;) {
    const id = `${run}-${next++}`
    const size = (next * 7919) % (next % 50 === 0 ? 60_000 : 600)
    await store.write((tx) => void tx.run(insert, id, size, 'x'.repeat(size)))
    writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, writer))
