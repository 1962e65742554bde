import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'

/** Writes enough to trigger checkpoints on the worker, then makes a backup: both need the worker. */
const store = Store.open(process.argv[2] ?? '', ['CREATE TABLE notes (text TEXT)'], { checkpointAt: 64 * 1024 })
const insert = command<[string]>('INSERT INTO notes VALUES (?)')
for (let n = 0; n < 200; n++) await store.write((tx) => void tx.run(insert, 'x'.repeat(2000)))
await store.files.backup(process.argv[3] ?? '')
await store.close()
process.stdout.write('done\n')
