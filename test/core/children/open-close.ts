import { AppError } from '../../../src/core/errors.ts'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'

try {
  const store = Store.open(process.argv[2] ?? '', ['CREATE TABLE notes (text TEXT)'], { checkpointAt: 1 })
  const insert = command<[string]>('INSERT INTO notes VALUES (?)')
  await store.write((tx) => void tx.run(insert, 'one'))
  await store.write((tx) => void tx.run(insert, 'two'))
  await store.close()
  process.stdout.write('closed\n')
} catch (error) {
  if (!(error instanceof AppError)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
