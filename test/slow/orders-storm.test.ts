import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const ORDERS = 1_000

test(`${ORDERS} orders that are due together each run once, a few at a time`, async () => {
  await using world = await World.open()
  const path = world.folder.at('mill')
  mkdirSync(join(path, 'live'), { recursive: true })
  const command = 'echo "$BEADS_ACTOR" >> runs; touch live/$$; ls live | wc -l >> width; sleep 0.02; rm live/$$'
  const order = `trigger = "cooldown"\ninterval = "24h"\nexec = '''${command}'''`
  const names = Array.from({ length: ORDERS }, (_, n) => `o${n}`)
  writeOrders(path, { orders: Object.fromEntries(names.map((name) => [name, order])) })
  const city = await register(world, 'mill', '')
  const lines = (file: string): string[] =>
    existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8').trim().split('\n') : []
  await eventually(
    'every order has run',
    240_000,
    async () => lines('runs').length,
    (ran) => ran >= ORDERS,
  )
  await Bun.sleep(1_000)
  expect(lines('runs').sort()).toEqual(names.map((name) => `order:${name}`).sort())
  expect(Math.max(...lines('width').map(Number))).toBeLessThanOrEqual(16)
  const { body } = await city.call('GET ~/events?type=order.completed&limit=1000')
  expect(body.items).toHaveLength(ORDERS)
}, 300_000)
