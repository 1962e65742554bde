import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../../../src/core/store/index.ts'
import { until } from '../../../support/until.ts'
import { human, workTown } from '../../../work/world.ts'
import { openOrders, writeOrders } from './world.ts'

const SECOND = 1000
const MINUTE = 60_000
const ON_CLOSE = 'trigger = "event"\non = "bead.closed"\nexec = "react"'

type OrderTown = Awaited<ReturnType<typeof openOrders>>

async function closeBeads(work: OrderTown, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { id } = await work.add({ title: `bead ${n}` })
    await work.beads.close(human, id)
  }
  await work.settled()
}

describe('an order that waits for events', () => {
  test('begins at the head, and one run covers all that came before it', async () => {
    const town = workTown()
    const before = await openOrders({ town })
    await closeBeads(before, 2)
    await before[Symbol.asyncDispose]()
    await using work = await openOrders({ town, orders: { react: ON_CLOSE } })
    expect(work.running()).toEqual([])
    await closeBeads(work, 1)
    expect(work.running()).toEqual(['react'])
    await closeBeads(work, 3)
    expect(work.running()).toEqual(['react'])
    expect(await work.dispatcher.check(work.order('react'))).toEqual({
      ...{ due: true, reason: 'event: 3 bead.closed event(s)' },
    })
    await work.end('react')
    expect(work.running()).toEqual([])
    await work.pass(SECOND)
    expect(work.running()).toEqual(['react'])
    await work.end('react')
    await work.pass(MINUTE)
    expect(work.running()).toEqual([])
    expect(await work.dispatcher.check(work.order('react'))).toEqual({
      due: false,
      reason: 'event: no matching events',
    })
    await work[Symbol.asyncDispose]()
    await town[Symbol.asyncDispose]()
  })

  test('is not started by what its own run does, nor by tracking beads, but by others', async () => {
    await using work = await openOrders({
      orders: { react: ON_CLOSE, tidy: 'trigger = "manual"\nexec = "tidy"' },
    })
    await closeBeads(work, 1)
    const caller = { kind: 'process', city: 'mill', name: 'order:react' } as const
    const { id } = await work.beads.create(caller, { title: 'by the order' })
    await work.beads.close(caller, id)
    await work.end('react')
    await work.run('tidy')
    await work.end('tidy')
    await work.pass(MINUTE)
    expect(work.running()).toEqual([])
    await work.beads.close({ ...caller, name: 'order:tidy' }, (await work.add({ title: 'by another' })).id)
    await work.settled()
    expect(work.running()).toEqual(['react'])
  })

  test('counts what came while its file was gone, and while the city was closed', async () => {
    const town = workTown()
    const first = await openOrders({ town, orders: { react: ON_CLOSE } })
    rmSync(join(town.path, 'orders/react.toml'))
    await first.reload()
    await closeBeads(first, 2)
    expect(first.running()).toEqual([])
    await first[Symbol.asyncDispose]()
    await using work = await openOrders({ town, orders: { react: ON_CLOSE } })
    expect(work.running()).toEqual(['react'])
    expect(work.dispatcher.runs.latest('react')?.seq).toBeGreaterThan(0)
    await work[Symbol.asyncDispose]()
    await town[Symbol.asyncDispose]()
  })

  test('reacts to convoys that close', async () => {
    await using work = await openOrders({
      orders: { react: 'trigger = "event"\non = "convoy.closed"\nexec = "react"' },
    })
    const { id } = await work.convoys.create(human, { title: 'all', items: [(await work.add({ title: 'one' })).id] })
    await work.convoys.close(human, id)
    await work.settled()
    expect(work.running()).toEqual(['react'])
  })
})

describe('an order with a schedule', () => {
  test('runs in each of its minutes once, and after a week asleep once', async () => {
    await using work = await openOrders({
      orders: { often: 'trigger = "cron"\nschedule = "*/10 * * * *"\ntz = "UTC"\nexec = "often"' },
    })
    await work.end('often')
    const ran: string[] = []
    for (let minute = 0; minute < 60; minute++) {
      await work.pass(MINUTE)
      if (work.running().length === 0) continue
      ran.push(new Date(work.clock.now()).toISOString().slice(11, 16))
      await work.end('often')
    }
    expect(ran).toEqual(['09:10', '09:20', '09:30', '09:40', '09:50', '10:00'])
    work.clock.step(7 * 86_400_000)
    await work.pass(MINUTE)
    expect(work.running()).toEqual(['often'])
    await work.end('often')
    await work.pass(MINUTE)
    expect(work.running()).toEqual([])
  })
})

describe('an order with a condition', () => {
  const WHEN = 'trigger = "condition"\ncheck = "look"\ncheck_timeout = "5s"\nexec = "act"'

  test('is checked at the patrol interval in its environment, and runs when the check passes', async () => {
    await using work = await openOrders({ orders: { when: WHEN } })
    expect(work.running()).toEqual(['look'])
    expect(work.startOf('look')?.env).toMatchObject({ BEADS_ACTOR: 'order:when', GC_STORE_SCOPE: 'city' })
    await work.end('look', 1)
    expect(work.running()).toEqual([])
    await work.pass(30 * SECOND)
    await work.end('look', 0)
    expect(work.running()).toEqual(['act'])
    await work.pass(30 * SECOND)
    expect(work.running()).toEqual(['act'])
    await work.end('act')
    await work.pass(30 * SECOND)
    expect(work.running()).toEqual(['look'])
  })

  test('ends a check that takes too long, and is not due', async () => {
    await using work = await openOrders({ orders: { when: WHEN } })
    await work.end('look', 1)
    const check = work.dispatcher.check(work.order('when'))
    await work.settled()
    await work.pass(5 * SECOND)
    expect(await check).toEqual({ due: false, reason: 'check command timed out after 5s' })
    const failing = work.dispatcher.check(work.order('when'))
    await work.settled()
    await work.end('look', 3)
    expect(await failing).toEqual({ due: false, reason: 'check command failed: exit status 3' })
  })
})

test('an order that is changed, added or taken away is looked at immediately', async () => {
  await using work = await openOrders({ orders: { slow: 'trigger = "cooldown"\ninterval = "1h"\nexec = "slow"' } })
  await work.end('slow')
  await work.pass(10 * MINUTE)
  writeOrders(work.town.path, {
    orders: {
      slow: 'trigger = "cooldown"\ninterval = "5m"\nexec = "slow"',
      quick: 'trigger = "cooldown"\ninterval = "1h"\nexec = "quick"',
    },
  })
  await work.reload()
  expect(work.running().sort()).toEqual(['quick', 'slow'])
})

test('in a city that an earlier gc had open, orders wait for a person, who is notified', async () => {
  const town = workTown()
  const first = await openOrders({ town })
  await first.store.write((tx) => void tx.run(command('INSERT INTO order_approval (since) VALUES (0)')))
  await first[Symbol.asyncDispose]()
  await using work = await openOrders({
    town,
    orders: { tidy: 'trigger = "cooldown"\ninterval = "5m"\nexec = "tidy"' },
  })
  expect(work.running()).toEqual([])
  expect(work.orderApproval.items()).toMatchObject([
    { id: 'orders:approval', to_do: 'check them with gc order list, then gc order approve --all' },
  ])
  await work.store.write((tx) => void work.orderApproval.approve(tx))
  await work.settled()
  expect(work.running()).toEqual(['tidy'])
  expect(work.orderApproval.items()).toEqual([])
  await work[Symbol.asyncDispose]()
  await town[Symbol.asyncDispose]()
})

test('stale tracking beads are closed, but not those of runs that continue', async () => {
  await using work = await openOrders({ orders: { tidy: 'trigger = "manual"\nexec = "tidy"' } })
  const stray = await work.add({ title: 'order:tidy', labels: ['order-run:tidy', 'order-tracking'] })
  const id = await work.run('tidy')
  await work.pass(4 * MINUTE)
  work.recorded()
  expect(await work.dispatcher.sweep(2 * MINUTE, { kind: 'human', name: 'human' })).toEqual([stray.id])
  expect(work.recorded()).toEqual([`bead.closed ${stray.id}`])
  expect(work.beadRepository.get(id).status).toBe('open')
})

test('runs that were over a week ago go when the city opens', async () => {
  const town = workTown()
  const first = await openOrders({ town, orders: { tidy: 'trigger = "manual"\nexec = "tidy"' } })
  const old = await first.run('tidy')
  await first.end('tidy')
  town.clock.step(7 * 86_400_000)
  const recent = await first.run('tidy')
  await first.end('tidy')
  await first[Symbol.asyncDispose]()
  town.clock.step(MINUTE)
  await using work = await openOrders({ town })
  await until(() => work.dispatcher.runs.find(old) === undefined)
  expect(work.beadRepository.find(old)).toBeUndefined()
  expect(work.dispatcher.runs.find(recent)?.state).toBe('done')
  await work[Symbol.asyncDispose]()
  await town[Symbol.asyncDispose]()
})
