import { describe, expect, test } from 'bun:test'
import { workTown } from '../../../work/world.ts'
import { openOrders, writeOrders } from './world.ts'

const MINUTE = 60_000
const DAY = 86_400_000

type OrderTown = Awaited<ReturnType<typeof openOrders>>

const cron = (schedule: string, zone: string, exec: string) =>
  `trigger = "cron"\nschedule = "${schedule}"\ntz = "${zone}"\nexec = "${exec}"`

/** Lets time pass, and ends each command before the next can be due. */
async function passUntil(work: OrderTown, end: number, step = MINUTE): Promise<void> {
  for (;;) {
    for (const line of work.running()) await work.end(line)
    if (work.clock.now() >= end) return
    await work.pass(step)
  }
}

/** Wall times of a zone at the starts of an order's runs, oldest first. */
function wallTimes(work: OrderTown, order: string, zone: string): string[] {
  const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone })
  const { entries } = work.orderHistory.page({ scoped_name: order })
  return entries.map(({ created_at }) => format.format(new Date(created_at))).toReversed()
}

describe('schedules on days when clocks change', () => {
  const HALVES = ['03:00', '03:30', '04:00']
  test.each([
    ['Europe/Berlin', '2026-03-29T00:50Z', 80, '15 2 * * *', ['03:00'], HALVES],
    ['Europe/Berlin', '2026-10-24T23:50Z', 140, '45 2 * * *', ['02:45'], ['02:00', '02:30', '02:00', '02:30', '03:00']],
    ['America/New_York', '2026-03-08T06:50Z', 80, '15 2 * * *', ['03:00'], HALVES],
    [
      'America/New_York',
      '2026-11-01T04:50Z',
      140,
      '45 1 * * *',
      ['01:45'],
      ['01:00', '01:30', '01:00', '01:30', '02:00'],
    ],
    ['Australia/Lord_Howe', '2026-10-03T15:20Z', 80, '15 2 * * *', ['02:30'], ['02:30', '03:00', '03:30']],
    [
      'Australia/Lord_Howe',
      '2026-04-04T14:20Z',
      140,
      '45 1 * * *',
      ['01:45'],
      ['01:30', '01:30', '02:00', '02:30', '03:00'],
    ],
  ])(
    'in %s from %s on, a named hour is run once, and half hours continue',
    async (zone, from, minutes, daily, once, halves) => {
      await using town = workTown()
      const start = Date.parse(from)
      town.clock.step(start - town.clock.now())
      await using work = await openOrders({
        ...{ town, orders: { once: cron(daily, zone, 'once'), halves: cron('*/30 * * * *', zone, 'halves') } },
      })
      await passUntil(work, start + minutes * MINUTE, 5 * MINUTE)
      const [[, ...onceRan], [, ...halvesRan]] = [wallTimes(work, 'once', zone), wallTimes(work, 'halves', zone)]
      expect([onceRan, halvesRan]).toEqual([once, halves])
    },
  )
})

describe('a clock that is wrong by a day', () => {
  const START = Date.parse('2026-01-05T09:00Z')
  const often = { orders: { often: cron('*/10 * * * *', 'UTC', 'often') } }

  /** The day and the minute of each run, oldest first. */
  const runsOf = (work: OrderTown) =>
    (work.orderHistory.page({ scoped_name: 'often' }).entries ?? [])
      .map(({ created_at, bead_id }) => ({ at: created_at.slice(8, 16), bead_id }))
      .toSorted((a, b) => Number(a.bead_id.split('-')[1]) - Number(b.bead_id.split('-')[1]))
      .map(({ at }) => at)

  /** Sets the clock, and lets the city see it. */
  async function set(work: OrderTown, ms: number): Promise<void> {
    work.clock.step(ms)
    await work.pass(MINUTE)
    for (const line of work.running()) await work.end(line)
  }

  test('and is put right immediately runs no minute again', async () => {
    await using work = await openOrders(often)
    await passUntil(work, START + 25 * MINUTE)
    await set(work, -DAY)
    await set(work, DAY)
    expect(runsOf(work)).toEqual(['05T09:00', '05T09:10', '05T09:20'])
    await passUntil(work, START + 42 * MINUTE)
    expect(runsOf(work).slice(3)).toEqual(['05T09:30', '05T09:40'])
  })

  test('runs each minute that it shows, and makes up once for those it did not show', async () => {
    await using work = await openOrders(often)
    await passUntil(work, START + 25 * MINUTE)
    await set(work, -DAY)
    await passUntil(work, START - DAY + 41 * MINUTE)
    await set(work, DAY)
    await passUntil(work, START + 51 * MINUTE)
    expect(runsOf(work).slice(3)).toEqual(['04T09:30', '04T09:40', '05T09:42', '05T09:50'])
  })

  test('and showed the next day before makes up for what it left out, and runs no minute of either day again', async () => {
    await using work = await openOrders(often)
    await passUntil(work, START + 25 * MINUTE)
    await set(work, DAY)
    await passUntil(work, START + DAY + 31 * MINUTE)
    await set(work, -DAY)
    await passUntil(work, START + 42 * MINUTE)
    expect(runsOf(work).slice(3)).toEqual(['06T09:26', '06T09:30', '05T09:32', '05T09:40'])
    await set(work, DAY)
    await passUntil(work, START + DAY + 52 * MINUTE)
    expect(runsOf(work).slice(7)).toEqual(['06T09:43', '06T09:50'])
  })
})

test('after six days asleep, an order of each zone makes up for what it missed once', async () => {
  const zones = { berlin: 'Europe/Berlin', york: 'America/New_York', howe: 'Australia/Lord_Howe' }
  const orders = Object.entries(zones).map(([name, zone]) => [name, cron('0 4 * * *', zone, name)])
  await using town = workTown()
  town.clock.step(Date.parse('2026-03-25T12:00Z') - town.clock.now())
  await using work = await openOrders({ town, orders: Object.fromEntries(orders) })
  await passUntil(work, town.clock.now())
  town.clock.step(6 * DAY)
  await work.pass(MINUTE)
  expect(work.running().sort()).toEqual(['berlin', 'howe', 'york'])
  await passUntil(work, town.clock.now() + 20 * MINUTE)
  for (const name of Object.keys(zones)) expect(work.orderHistory.page({ scoped_name: name }).entries).toHaveLength(2)
})

describe('an order that is written into a running city', () => {
  const AT = Date.parse('2026-01-05T11:15Z')
  const names = (work: OrderTown) => work.orderHistory.page({ scoped_name: 'late' }).entries?.length ?? 0

  test('has missed no time from before it was written, or from before its schedule was changed', async () => {
    await using town = workTown()
    town.clock.step(AT - town.clock.now())
    await using work = await openOrders({ town, orders: { other: 'trigger = "manual"\nexec = "other"' } })
    writeOrders(town.path, { orders: { late: cron('5 9 * * *', 'UTC', 'late') } })
    await work.reload()
    expect(work.dispatcher.expect(work.order('late'))).toEqual({
      ...{ due: false, reason: 'cron: schedule not matched', next: Date.parse('2026-01-06T09:05Z') },
    })
    await passUntil(work, AT + 21 * 60 * MINUTE, 10 * MINUTE)
    expect(names(work)).toBe(0)
    await passUntil(work, AT + 22 * 60 * MINUTE, 10 * MINUTE)
    expect(names(work)).toBe(1)
    writeOrders(town.path, { orders: { late: cron('50 8 * * *', 'UTC', 'late') } })
    await work.reload()
    await passUntil(work, AT + 30 * 60 * MINUTE, 60 * MINUTE)
    expect(names(work)).toBe(1)
  })

  test('is remembered when the city starts again, and makes up for what it missed since', async () => {
    await using town = workTown()
    town.clock.step(AT - town.clock.now())
    {
      await using work = await openOrders({ town, orders: { other: 'trigger = "manual"\nexec = "other"' } })
      writeOrders(town.path, { orders: { late: cron('5 9 * * *', 'UTC', 'late') } })
      await work.reload()
    }
    town.clock.step(60 * MINUTE)
    {
      await using work = await openOrders({ town })
      await work.pass(MINUTE)
      expect(work.running()).toEqual([])
    }
    town.clock.step(DAY)
    await using work = await openOrders({ town })
    await work.pass(MINUTE)
    expect(work.running()).toEqual(['late'])
  })
})
