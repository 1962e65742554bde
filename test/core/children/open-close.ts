import { AppError } from '../../../src/core/errors.ts'
import { Store } from '../../../src/core/store/store.ts'

try {
  const store = Store.open(process.argv[2] ?? '', ['CREATE TABLE notes (text TEXT)'], { checkpointAt: 1 })
  const insert = store.prepare('INSERT INTO notes VALUES (?)')
  await store.write(() => void insert.run('one'))
  await store.write(() => void insert.run('two'))
  await store.close()
  process.stdout.write('closed\n')
} catch (error) {
  if (!(error instanceof AppError)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
