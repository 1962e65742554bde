import { AppError } from '../../../src/core/errors.ts'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'

const store = Store.open('a.db', ['CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)'])
const insert = command<[string]>('INSERT INTO notes (text) VALUES (?)')
const report = { acknowledged: 0, rejected: 0, effects: 0, codes: [] as string[] }

const write = () =>
  store.write((tx) => {
    tx.run(insert, 'x'.repeat(5000))
    tx.after(() => report.effects++)
  })

for (let round = 0; round < 60; round++) {
  for (const result of await Promise.allSettled(Array.from({ length: 8 }, write))) {
    if (result.status === 'fulfilled') report.acknowledged++
    else report.rejected++
    if (
      result.status === 'rejected' &&
      result.reason instanceof AppError &&
      !report.codes.includes(result.reason.code)
    ) {
      report.codes.push(result.reason.code)
    }
  }
}
process.stdout.write(JSON.stringify(report))
