import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declare, errorOf, startSession, type Town, towns } from './town.ts'

const openTown = towns()

const ORDERS = {
  breaks: 'trigger = "manual"\nexec = "echo out; echo bad >&2; exit 3"\n',
  flagged: 'trigger = "condition"\ncheck = "test -f flag"\nexec = "rm flag"\n',
  gone: 'trigger = "manual"\nformula = "nowhere"\n',
  hooked: 'trigger = "webhook"\nexec = "echo $GC_WEBHOOK_ARG_REF"\n[order.params.ref]\nrequired = true\n',
  leap: 'trigger = "cron"\nschedule = "0 0 29 2 *"\ntz = "UTC"\nexec = "echo leap"\n',
}

async function townWithOrders(): Promise<Town> {
  const town = await openTown('[daemon]\npatrol_interval = "1h"\n')
  mkdirSync(join(town.city.path, 'orders'))
  for (const [name, text] of Object.entries(ORDERS)) {
    writeFileSync(join(town.city.path, `orders/${name}.toml`), `[order]\n${text}`)
  }
  await town.city.call('POST ~/config/reload')
  return town
}

/** Runs an order to its end; its tracking bead. */
async function run({ city }: Town, name: string, vars: Record<string, string> = {}): Promise<string> {
  const { status, headers, body } = await city.call(`POST ~/order/${name}/run`, { body: { vars } })
  expect([status, headers.get('location')]).toEqual([202, `/v0/city/${city.name}/runs`])
  expect(body).toEqual({ status: 'dispatched', scoped_name: name, tracking_id: expect.any(String) })
  for (;;) {
    const { entries } = (await city.call(`GET ~/orders/history?scoped_name=${name}&limit=1`)).body
    if (entries[0]?.bead_id === body.tracking_id && entries[0].duration_ms !== undefined) return body.tracking_id
    await Bun.sleep(10)
  }
}

/** Events of orders until the first run since has ended. */
async function endOf({ city }: Town, head: number): Promise<string[]> {
  for (;;) {
    const types = typesOf(await city.recorded(head))
    if (types.some((type) => /completed|failed/.test(type))) return types
    await Bun.sleep(10)
  }
}

const typesOf = (events: { type: string; subject?: string }[]) =>
  events.filter(({ type }) => type.startsWith('order.')).map(({ type, subject }) => `${type} ${subject}`)

describe('running an order', () => {
  test('works for every trigger, and its output, exit status and duration are kept', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const head = await city.head()
    const bead = await run(town, 'breaks')
    expect(await endOf(town, head)).toEqual(['order.fired breaks', 'order.failed breaks'])
    expect((await city.call(`GET ~/order/history/${bead}`)).body).toMatchObject({ output: 'out\n\nbad\n' })
    const { entries } = (await city.call('GET ~/orders/history?scoped_name=breaks')).body
    expect(entries[0]).toMatchObject({
      exit_code: '3',
      has_output: true,
      labels: expect.arrayContaining(['exec-failed']),
    })
    const done = await run(town, 'leap')
    expect((await city.call(`GET ~/order/history/${done}`)).body.output).toBe('leap\n')
    const hooked = await run(town, 'hooked', { ref: 'main' })
    expect((await city.call(`GET ~/order/history/${hooked}`)).body.output).toBe('main\n')
  })

  test('of a formula that does not exist is begun, and fails', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const bead = await run(town, 'gone')
    const { entries } = (await city.call('GET ~/orders/history?scoped_name=gone')).body
    expect(entries[0]).toMatchObject({ bead_id: bead, error: expect.stringContaining('nowhere') })
  })

  test('says what is wrong with what it is asked, and runs nothing', async () => {
    await using town = await townWithOrders()
    const { city } = town
    await city.call('POST ~/order/leap/disable')
    const errors: [operation: string, body: object | undefined, error: string][] = [
      [
        'POST ~/order/hooked/run',
        { vars: {} },
        '422 webhook-rejected: rejected: order "hooked": missing required param(s): ref',
      ],
      ['POST ~/order/hooked/run', { vars: { ref: '' } }, '422 webhook-rejected: '],
      ['POST ~/order/hooked/run', { vars: { ref: 1 } }, '422 validation-failed: '],
      ['POST ~/order/hooked/run', { vars: { ref: 'a\0b' } }, '422 validation-failed: '],
      ['POST ~/order/hooked/run', { args: {} }, '422 validation-failed: '],
      ['POST ~/order/hooked/run', undefined, '400 '],
      ['POST ~/order/nobody/run', {}, '404 order-not-found: '],
      ['POST ~/order/leap/run', {}, '404 order-not-found: '],
      ['GET ~/order/history/zz-1/stream', undefined, '404 bead-not-found: '],
      ['POST ~/orders/approve', { all: false }, '400 invalid-request: '],
    ]
    for (const [operation, body, error] of errors) expect(await errorOf(city, operation, { body })).toStartWith(error)
    expect((await city.call('GET ~/order-runs')).body).toEqual({ entries: [] })
  })

  test('is open to agents, but approving orders is for people', async () => {
    await using town = await townWithOrders()
    const { city } = town
    await declare(city, 'w')
    const { token } = await startSession(city, 'w')
    const { status } = await city.call('POST ~/order/breaks/run', { body: {}, token })
    expect(status).toBe(202)
    expect(await errorOf(city, 'POST ~/orders/approve', { body: { all: true }, token })).toStartWith('403 forbidden: ')
    expect((await city.call('POST ~/orders/approve', { body: { all: true } })).body).toEqual({ approved: 0 })
    expect((await city.call('POST ~/orders/sweep-tracking', { body: {}, token })).body).toEqual({ closed: [] })
  })
})

describe('checking orders', () => {
  test('runs the checks of conditions, and says of each order whether it is due and why', async () => {
    await using town = await townWithOrders()
    const { city } = town
    const check = async (name: string) =>
      (await city.call('GET ~/orders/check?fresh=true')).body.checks.find(
        (each: { name: string }) => each.name === name,
      )
    expect(await check('flagged')).toEqual({
      ...{ name: 'flagged', scoped_name: 'flagged', due: false, reason: 'check command failed: exit status 1' },
    })
    await run(town, 'leap')
    expect(await check('leap')).toMatchObject({ due: false, last_run: expect.any(String), last_run_outcome: 'success' })
    expect(await check('hooked')).toMatchObject({ due: false, reason: expect.stringContaining('webhook trigger') })
    writeFileSync(join(city.path, 'flag'), '')
    expect(await check('flagged')).toMatchObject({ due: true, reason: 'condition: check passed (exit 0)' })
    expect(existsSync(join(city.path, 'flag'))).toBe(true)
  })

  test('says what keeps an order that is due from being started', async () => {
    await using town = await townWithOrders()
    const { city } = town
    await city.call('PATCH ~', { body: { suspended: true } })
    writeFileSync(join(city.path, 'flag'), '')
    const { checks } = (await city.call('GET ~/orders/check')).body
    expect(checks[1]).toMatchObject({
      ...{ due: true, reason: 'condition: check passed (exit 0); not started: the city is suspended' },
    })
  })
})
