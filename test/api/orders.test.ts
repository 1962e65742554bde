import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declare, errorOf, startSession, type Town, towns } from './town.ts'

const openTown = towns()

const order = (...lines: string[]) => ['[order]', ...lines, ''].join('\n')
const ORDERS = {
  tidy: order(
    ...['description = "tidies"', 'trigger = "cooldown"', 'interval = "5h"', 'exec = "echo $WHERE"'],
    ...['env = { WHERE = "here" }', 'timeout = "2m"'],
  ),
  nightly: order('trigger = "cron"', 'schedule = "15 3 * * *"', 'tz = "Asia/Tokyo"', 'formula = "line"', 'pool = "w"'),
  flagged: order('trigger = "condition"', 'check = "test -f flag"', 'check_timeout = "5s"', 'exec = "true"'),
  closed: order('trigger = "event"', 'on = "bead.closed"', 'exec = "true"'),
  off: order('trigger = "manual"', 'exec = "true"', 'enabled = false'),
  skipped: order('trigger = "manual"', 'exec = "true"'),
  bad: order('trigger = "cron"', 'schedule = "* * *"', 'exec = "true"'),
}

/** A town with orders, which the skip list of the city keeps from those of gc's own packs. */
async function townWithOrders(): Promise<Town> {
  const town = await openTown('[orders]\nskip = ["skipped"]\n')
  mkdirSync(join(town.city.path, 'orders'))
  for (const [name, text] of Object.entries(ORDERS)) writeFileSync(join(town.city.path, `orders/${name}.toml`), text)
  await town.city.call('POST ~/config/reload')
  return town
}

const names = async ({ city }: Town): Promise<string[]> =>
  (await city.call('GET ~/orders')).body.orders.map(({ name }: { name: string }) => name)

describe('the orders of a city', () => {
  test('are listed and shown as their files declare them, with the limits that are in effect', async () => {
    await using town = await townWithOrders()
    const { city } = town
    expect(await names(town)).toEqual(['closed', 'flagged', 'nightly', 'tidy'])
    expect((await city.call('GET ~/order/tidy')).body).toEqual({
      ...{ name: 'tidy', scoped_name: 'tidy', type: 'exec', description: 'tidies', enabled: true },
      ...{ trigger: 'cooldown', gate: 'cooldown', interval: '5h', exec: 'echo $WHERE', env: { WHERE: 'here' } },
      ...{ timeout: '2m', timeout_ms: 120_000, capture_output: true },
    })
    expect((await city.call('GET ~/order/nightly')).body).toEqual({
      ...{ name: 'nightly', scoped_name: 'nightly', type: 'formula', enabled: true, trigger: 'cron', gate: 'cron' },
      ...{ schedule: '15 3 * * *', formula: 'line', pool: 'w', timeout_ms: 30_000, capture_output: false },
    })
    expect((await city.call('GET ~/order/flagged')).body).toMatchObject({
      ...{ check: 'test -f flag', check_timeout: '5s', check_timeout_ms: 5000 },
    })
    for (const gone of ['off', 'skipped', 'bad', 'nobody']) {
      expect(await errorOf(city, `GET ~/order/${gone}`)).toStartWith('404 order-not-found: ')
    }
  })

  test('are there with every file, and what is wrong with each', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const { body } = await city.call('GET ~/order-files')
    const at = (name: string) => join(city.path, `orders/${name}.toml`)
    const nightly = body.orders.find(({ name }: { name: string }) => name === 'nightly')
    expect(nightly).toMatchObject({
      source: at('nightly'),
      formula_layer: join(city.path, 'formulas'),
      tz: 'Asia/Tokyo',
    })
    const own = body.absent.filter(({ source }: { source: string }) => source.startsWith(city.path))
    expect(own).toEqual([
      { name: 'off', description: '', reason: 'disabled', source: at('off') },
      { name: 'skipped', description: '', reason: 'skipped', source: at('skipped') },
    ])
    const problem = 'orders/bad.toml:3: [order] schedule: "* * *" is not a cron schedule: it must have 5 fields, not 3'
    expect(body.problems).toEqual([problem])
    const reloaded = (await city.call('POST ~/config/reload')).body
    expect(reloaded).toMatchObject({ outcome: 'no_change', errors: [problem] })
    const validated = (await city.call('GET ~/config/validate')).body
    expect([validated.valid, validated.errors]).toEqual([false, [problem]])
  })
})

describe('enabling and disabling an order', () => {
  test('writes an override, is recorded with who did it, and does nothing the second time', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const before = readFileSync(join(city.path, 'city.toml'), 'utf8')
    const types = await city.types(async () => {
      expect((await city.call('POST ~/order/tidy/disable')).body).toEqual({ status: 'disabled' })
      expect((await city.call('POST ~/order/tidy/disable')).body).toEqual({ status: 'disabled' })
    })
    expect(types.filter((type) => type.startsWith('config.'))).toEqual(['config.changed'])
    expect(await names(town)).toEqual(['closed', 'flagged', 'nightly'])
    expect((await city.call('GET ~/order/tidy')).body.enabled).toBe(false)
    const text = readFileSync(join(city.path, 'city.toml'), 'utf8')
    expect(text).toBe(`${before}\n[[orders.overrides]]\nname = "tidy"\nenabled = false\n`)
    expect((await city.call('POST ~/order/tidy/enable')).body).toEqual({ status: 'enabled' })
    expect(await names(town)).toEqual(['closed', 'flagged', 'nightly', 'tidy'])
  })

  test('is rejected for orders that are not there, and for agents without the permission', async () => {
    await using town = await townWithOrders()
    const { city } = town
    for (const operation of ['POST ~/order/off/enable', 'POST ~/order/nobody/disable']) {
      expect(await errorOf(city, operation)).toStartWith('404 order-not-found: ')
    }
    await declare(city, 'w')
    const { token } = await startSession(city, 'w')
    expect(await errorOf(city, 'POST ~/order/tidy/disable', { token })).toContain('403 forbidden: ')
  })
})

describe('queries of order runs', () => {
  test('is empty for an order that never ran, and for one that no one knows', async () => {
    await using town = await townWithOrders()
    const { city } = town
    for (const name of ['closed', 'nobody']) {
      expect((await city.call(`GET ~/orders/history?scoped_name=${name}`)).body).toEqual({ entries: [] })
    }
  })

  test('is answered with what is wrong with it', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const errors: [operation: string, error: string][] = [
      ['GET ~/orders/history', '422 validation-failed: '],
      ['GET ~/orders/history?scoped_name=', '422 validation-failed: '],
      ['GET ~/orders/history?scoped_name=tidy&before=yesterday', '400 invalid-request: invalid before timestamp'],
      ['GET ~/orders/history?scoped_name=tidy&limit=-1', '422 validation-failed: '],
      ['GET ~/order/history/zz-999', '404 bead-not-found: '],
      ['GET ~/order/history/zz-999?store_ref=city:other', '404 scope-not-found: '],
      ['GET ~/orders/feed', '400 invalid-request: scope_kind and scope_ref are required'],
      ['GET ~/orders/feed?scope_kind=rig&scope_ref=nowhere', '404 scope-not-found: '],
    ]
    for (const [operation, error] of errors) expect(await errorOf(city, operation)).toStartWith(error)
  })
})
