import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cityMigrations } from '../../../../src/city/database/migrations.ts'
import { migrate } from '../../../../src/core/store/migrate.ts'

/** Since when budgets are lenient after the migrations of a city that had so many events before. */
function lenientSince(events: number) {
  const db = new Database(':memory:')
  const first = cityMigrations.findIndex((sql) => sql.includes('CREATE TABLE lenient_budgets'))
  migrate(db, 'city.db', cityMigrations.slice(0, first))
  for (let n = 0; n < events; n++) {
    db.run("INSERT INTO events (type, at, actor, payload) VALUES ('controller.started', ?, 'gc', '{}')", [1000 + n])
  }
  migrate(db, 'city.db', cityMigrations)
  return db.query('SELECT since FROM lenient_budgets').all()
}

test('budgets are lenient in a city that gc had open before', () => {
  expect(lenientSince(3)).toEqual([{ since: 1002 }])
})

test('budgets of a new city are strict', () => {
  expect(lenientSince(0)).toEqual([])
})
