import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cityMigrations } from '../../../../src/city/database/migrations.ts'
import { migrate } from '../../../../src/core/store/migrate.ts'

/** Result of migrating a city from before orders, with that many events. */
function upgraded(events: number) {
  const db = new Database(':memory:')
  const first = cityMigrations.findIndex((sql) => sql.includes('CREATE TABLE order_approval'))
  migrate(db, 'city.db', cityMigrations.slice(0, first))
  for (let n = 0; n < events; n++) {
    db.run("INSERT INTO events (type, at, actor, payload) VALUES ('controller.started', ?, 'gc', '{}')", [1000 + n])
  }
  migrate(db, 'city.db', cityMigrations)
  const rows = (sql: string) => db.query(sql).all()
  return {
    approval: rows('SELECT since FROM order_approval'),
    cursor: rows("SELECT seq FROM cursors WHERE consumer = 'orders'"),
  }
}

test('orders wait for a person in a city that gc had open before, and look at none of its old events', () => {
  expect(upgraded(3)).toEqual({ approval: [{ since: 1002 }], cursor: [{ seq: 3 }] })
})

test('orders of a new city wait for no one', () => {
  expect(upgraded(0)).toEqual({ approval: [], cursor: [] })
})
