import { describe, expect, test } from 'bun:test'
import { countedRun, dueAt } from '../../../../src/orchestration/orders/dispatch/due.ts'
import type { OrderTrigger } from '../../../../src/orchestration/orders/order.ts'

const at = (timestamp: string): number => new Date(timestamp).getTime()
const due = (trigger: OrderTrigger, now: string, lastRun?: string) =>
  dueAt(trigger, { lastRun: lastRun === undefined ? undefined : at(lastRun), since: 0, events: 0 }, at(now))
const unrun = (trigger: OrderTrigger, since: string, now: string) =>
  dueAt(trigger, { lastRun: undefined, since: at(since), events: 0 }, at(now))
const cron = (schedule: string, zone = 'UTC'): OrderTrigger => ({ kind: 'cron', schedule, zone })

/** The minutes at which an order that is looked immediately a minute runs. */
function runsBetween(trigger: OrderTrigger, from: string, to: string, lastRun: string, everyMs = 60_000): string[] {
  const runs: string[] = []
  let last = at(lastRun)
  for (let now = at(from); now < at(to); now += everyMs) {
    if (!dueAt(trigger, { lastRun: last, since: 0, events: 0 }, now).due) continue
    last = now
    runs.push(new Date(now).toISOString().slice(5, 16))
  }
  return runs
}

describe('a cooldown', () => {
  const trigger: OrderTrigger = { kind: 'cooldown', interval: 300_000 }

  test('is due immediately when the order never ran', () => {
    expect(due(trigger, '2026-01-05T09:00:00Z')).toEqual({ due: true, reason: 'never run' })
  })

  test('is due when its interval has passed since the latest run, and says what is left until then', () => {
    expect(due(trigger, '2026-01-05T09:04:52Z', '2026-01-05T09:00:00Z')).toEqual({
      ...{ due: false, reason: 'cooldown: 8s remaining' },
      next: at('2026-01-05T09:05:00Z'),
    })
    expect(due(trigger, '2026-01-05T09:05:00Z', '2026-01-05T09:00:00Z')).toEqual({
      ...{ due: true, reason: 'elapsed 5m0s >= interval 5m0s' },
    })
    expect(due({ ...trigger, interval: 3_600_000 }, '2026-01-05T09:00:08Z', '2026-01-05T09:00:00Z').reason).toBe(
      'cooldown: 59m52s remaining',
    )
  })

  test('begins again when the clock was set back behind its latest run', () => {
    const [last, now] = [at('2026-01-06T09:00:00Z'), at('2026-01-05T09:00:00Z')]
    expect(countedRun(trigger, last, now)).toBe(now)
    expect(countedRun(trigger, now - 1, now)).toBe(now - 1)
  })
})

describe('a schedule', () => {
  test('is due in each of its minutes, once', () => {
    const trigger = cron('*/15 * * * *')
    expect(due(trigger, '2026-01-05T09:15:20Z', '2026-01-05T09:00:01Z')).toEqual({
      ...{ due: true, reason: 'cron: schedule matched' },
    })
    expect(due(trigger, '2026-01-05T09:15:50Z', '2026-01-05T09:15:20Z')).toEqual({
      ...{ due: false, reason: 'cron: already run this minute', next: at('2026-01-05T09:30:00Z') },
    })
    expect(due(trigger, '2026-01-05T09:16:00Z', '2026-01-05T09:15:20Z')).toEqual({
      ...{ due: false, reason: 'cron: schedule not matched', next: at('2026-01-05T09:30:00Z') },
    })
  })

  test('makes up for missed minutes once, for 366 days at most, and none from before it was there', () => {
    const caughtUp = { due: true, reason: 'cron: caught up missed occurrence' }
    expect(due(cron('15 3 * * *'), '2026-01-12T09:00:00Z', '2026-01-05T03:15:00Z')).toEqual(caughtUp)
    expect(due(cron('0 0 1 6 *'), '2026-05-30T00:00:00Z', '2025-05-30T00:00:00Z')).toEqual(caughtUp)
    expect(due(cron('0 0 1 1 *'), '2027-01-05T00:00:00Z', '2020-01-05T00:00:00Z')).toEqual(caughtUp)
    expect(due(cron('0 0 29 2 *'), '2027-01-05T00:00:00Z', '2020-03-05T00:00:00Z').due).toBe(false)
    expect(unrun(cron('30 8 * * *'), '2026-01-06T08:29:00Z', '2026-01-06T09:00:00Z')).toEqual(caughtUp)
    expect(unrun(cron('5 9 * * *'), '2026-01-06T11:15:00Z', '2026-01-06T11:15:01Z')).toEqual({
      ...{ due: false, reason: 'cron: schedule not matched', next: at('2026-01-07T09:05:00Z') },
    })
    const changed = { lastRun: at('2026-01-05T10:00:00Z'), since: at('2026-01-06T11:15:00Z'), events: 0 }
    expect(dueAt(cron('5 9 * * *'), changed, at('2026-01-06T11:16:00Z')).due).toBe(false)
  })

  test('wants the day of the month and the day of the week to match both', () => {
    const trigger = cron('0 0 13 * FRI')
    expect(due(trigger, '2026-02-13T00:00:30Z', '2026-02-12T00:00:00Z').due).toBe(true)
    expect(due(trigger, '2026-02-20T00:00:30Z', '2026-02-19T00:00:00Z')).toEqual({
      ...{ due: false, reason: 'cron: schedule not matched', next: at('2026-03-13T00:00:00Z') },
    })
  })

  test('that matches no day there is, is never due', () => {
    expect(due(cron('0 0 30 2 *'), '2026-01-05T09:00:00Z')).toEqual({
      due: false,
      reason: 'cron: schedule not matched',
    })
  })

  const zones = [
    {
      zone: 'Europe/Berlin',
      forward: '2026-03-29T01:00:00Z',
      back: '2026-10-25T01:00:00Z',
      gap: '30 2',
      twice: '30 2',
    },
    {
      zone: 'America/New_York',
      forward: '2026-03-08T07:00:00Z',
      back: '2026-11-01T06:00:00Z',
      gap: '30 2',
      twice: '30 1',
    },
    {
      zone: 'Australia/Lord_Howe',
      forward: '2026-10-03T15:30:00Z',
      back: '2026-04-04T15:00:00Z',
      gap: '15 2',
      twice: '45 1',
    },
  ]
  for (const { zone, forward, back, gap, twice } of zones) {
    const shifted = (moment: string, hours: number) => new Date(at(moment) + hours * 3_600_000).toISOString()

    test(`in ${zone} is caught up immediately when clocks are set forward over its minute`, () => {
      const trigger = cron(`${gap} * * *`, zone)
      const last = shifted(forward, -23)
      expect(due(trigger, shifted(forward, -0.1), last)).toMatchObject({ due: false, next: at(forward) })
      expect(due(trigger, forward, last)).toEqual({
        ...{ due: true, reason: 'cron: caught up occurrence skipped by DST spring-forward' },
      })
      expect(runsBetween(trigger, shifted(forward, -3), shifted(forward, 20), last)).toEqual([forward.slice(5, 16)])
    })

    test(`in ${zone} runs once in an hour that comes twice, and in every minute of it if it names no hour`, () => {
      const daily = cron(`${twice} * * *`, zone)
      expect(runsBetween(daily, shifted(back, -6), shifted(back, 6), shifted(back, -7))).toHaveLength(1)
      const hour = runsBetween(cron('* * * * *', zone), shifted(back, -1), shifted(back, 2), shifted(back, -1.02))
      expect(hour).toHaveLength(180)
      const named = runsBetween(cron('* 1 * * *', zone), shifted(back, -3), shifted(back, 3), shifted(back, -4))
      expect(named).toHaveLength(60)
    })

    test(`in ${zone} looks again at its next minute, never at one that is past`, () => {
      for (const moment of [forward, back]) {
        for (let minute = -180; minute < 180; minute += 7) {
          const now = at(moment) + minute * 60_000
          const { next = 0 } = dueAt(cron('*/20 1,2 * * *', zone), { lastRun: now, since: 0, events: 0 }, now)
          expect(next).toBeGreaterThan(now)
          expect(next - now).toBeLessThan(27 * 3_600_000)
        }
      }
    })
  }

  test('that names no hour is not caught up where clocks are set forward over its minute', () => {
    const half = cron('30 * * * *', 'Europe/Berlin')
    const runs = runsBetween(half, '2026-03-28T23:00:00Z', '2026-03-29T03:00:00Z', '2026-03-28T22:30:00Z')
    expect(runs).toEqual(['03-28T23:30', '03-29T00:30', '03-29T01:30', '03-29T02:30'])
    const quarter = cron('*/15 * * * *', 'Australia/Lord_Howe')
    expect(runsBetween(quarter, '2026-10-03T14:00:00Z', '2026-10-03T17:00:00Z', '2026-10-03T13:59:00Z')).toHaveLength(
      12,
    )
  })

  test('is made up for once after a machine slept through a change of clocks', () => {
    const daily = cron('30 1 * * *', 'America/New_York')
    const woken = runsBetween(daily, '2026-11-01T06:10:00Z', '2026-11-01T12:00:00Z', '2026-10-31T05:30:00Z')
    expect(woken).toEqual(['11-01T06:10'])
    const ran = runsBetween(daily, '2026-11-01T06:10:00Z', '2026-11-02T06:00:00Z', '2026-11-01T05:30:00Z')
    expect(ran).toEqual([])
    const { next } = due(daily, '2026-11-01T06:10:00Z', '2026-11-01T05:30:00Z')
    expect(next).toBe(at('2026-11-02T06:30:00Z'))
  })

  test('runs no minute again after the clock was set back by less than an hour, and continues after a day', () => {
    const trigger = cron('* * * * *')
    const now = at('2026-01-05T09:00:00Z')
    expect(countedRun(trigger, now + 1_800_000, now)).toBe(now + 1_800_000)
    expect(countedRun(trigger, now + 86_400_000, now)).toBe(now)
    expect(countedRun(trigger, now + 86_400_000, now, now - 60_000)).toBe(now - 60_000)
    expect(countedRun(trigger, now - 86_400_000, now, now - 60_000)).toBe(now - 60_000)
    expect(due(trigger, '2026-01-05T09:00:00Z', '2026-01-05T09:30:00Z')).toMatchObject({
      ...{ due: false, next: at('2026-01-05T09:31:00Z') },
    })
  })
})

describe('the other triggers', () => {
  const state = (events: number) => ({ lastRun: undefined, since: 0, events })

  test('an event makes its order due for as many as came', () => {
    const trigger: OrderTrigger = { kind: 'event', on: 'bead.closed' }
    expect(dueAt(trigger, state(0), 0)).toEqual({ due: false, reason: 'event: no matching events' })
    expect(dueAt(trigger, state(3), 0)).toEqual({ due: true, reason: 'event: 3 bead.closed event(s)' })
  })

  test('a condition is what its check came to', () => {
    const trigger: OrderTrigger = { kind: 'condition', check: 'true', timeout: 1000 }
    const passed = { passed: true, reason: 'condition: check passed (exit 0)' }
    expect(dueAt(trigger, { ...state(0), condition: passed }, 0)).toEqual({ due: true, reason: passed.reason })
    expect(dueAt(trigger, state(0), 0)).toEqual({ due: false, reason: 'condition: not checked yet' })
  })

  test('manual and webhook orders are never due on their own', () => {
    expect(dueAt({ kind: 'manual' }, state(1), 0)).toEqual({
      ...{ due: false, reason: 'manual trigger — use gc order run' },
    })
    expect(dueAt({ kind: 'webhook' }, state(1), 0)).toEqual({
      ...{ due: false, reason: 'webhook trigger — dispatched by the webhook receiver' },
    })
  })
})
