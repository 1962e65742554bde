import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../src/core/deadlines.ts'
import { TestClock } from '../support/clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

function world() {
  const clock = new TestClock()
  const error: unknown[] = []
  const deadlines = new Deadlines(clock, clock, (one) => error.push(one))
  const fired: string[] = []
  return { clock, deadlines, error, fired, record: (name: string) => () => void fired.push(name) }
}

describe('a deadline', () => {
  test('fires once, at its due time and not before', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(1000, record('a'))
    await clock.advance(999)
    expect(fired).toEqual([])
    await clock.advance(1)
    await clock.advance(DAY)
    expect(fired).toEqual(['a'])
    expect([deadlines.size, clock.armed]).toEqual([0, 0])
  })

  test('of 25 days fires after 25 days, with the timer never set more than an hour ahead', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(25 * DAY, record('a'))
    expect(clock.nearest).toBe(HOUR)
    await clock.advance(25 * DAY - 1)
    expect(fired).toEqual([])
    expect(clock.nearest).toBe(1)
    await clock.advance(1)
    expect(fired).toEqual(['a'])
  })

  test('in the past fires soon but not synchronously', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.at(clock.now() - DAY, record('late'))
    expect(fired).toEqual([])
    await clock.advance(0)
    expect(fired).toEqual(['late'])
  })

  test('that is cancelled never fires and leaves no timer armed', async () => {
    const { clock, deadlines, fired, record } = world()
    const deadline = deadlines.after(1000, record('a'))
    deadline.cancel()
    deadline.cancel()
    expect([deadlines.size, clock.armed]).toEqual([0, 0])
    await clock.advance(DAY)
    expect(fired).toEqual([])
  })

  test('without a due time throws', () => {
    expect(() => world().deadlines.after(Number.NaN, () => {})).toThrow('a deadline needs a moment')
  })
})

describe('deadlines', () => {
  test('fire in order of due time, then of creation', async () => {
    const { clock, deadlines, fired, record } = world()
    for (const ms of [30, 10, 20]) for (const name of ['first', 'second']) deadlines.after(ms, record(`${ms} ${name}`))
    expect(clock.armed).toBe(1)
    await clock.advance(30)
    expect(fired).toEqual(['10 first', '10 second', '20 first', '20 second', '30 first', '30 second'])
  })

  test('may cancel each other and set new ones while firing', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(10, () => {
      fired.push('a')
      twin.cancel()
      deadlines.after(0, record('at once'))
      deadlines.after(5, record('later'))
    })
    const twin = deadlines.after(10, record('twin'))
    await clock.advance(10)
    expect(fired).toEqual(['a', 'at once'])
    await clock.advance(5)
    expect(fired).toEqual(['a', 'at once', 'later'])
    expect(clock.armed).toBe(0)
  })

  test('that throw or reject are reported and do not stop the others', async () => {
    const { clock, deadlines, fired, record, error } = world()
    deadlines.after(1, () => {
      throw new Error('one')
    })
    deadlines.after(1, async () => {
      throw new Error('two')
    })
    deadlines.after(1, record('three'))
    await clock.advance(1)
    expect(fired).toEqual(['three'])
    expect(error).toEqual([new Error('one'), new Error('two')])
  })

  test('can be created and cancelled by the hundred thousand', async () => {
    const { clock, deadlines } = world()
    let fired = 0
    const all = Array.from({ length: 100_000 }, (_, n) => deadlines.after(1000 + ((n * 7919) % 100_000), () => fired++))
    for (const [n, deadline] of all.entries()) if (n % 2 === 0) deadline.cancel()
    clock.step(0)
    await clock.advance(999)
    expect([deadlines.size, fired, clock.armed]).toEqual([50_000, 0, 1])
    deadlines.close()
    expect([deadlines.size, clock.armed]).toEqual([0, 0])
  })

  test('never fire after being closed', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(1, () => {
      fired.push('a')
      deadlines.close()
      deadlines.after(0, record('too late'))
    })
    deadlines.after(1, record('twin'))
    await clock.advance(DAY)
    expect(fired).toEqual(['a'])
    expect(clock.armed).toBe(0)
  })
})

describe('the deadlines of a part', () => {
  test('run with the others, and tell apart its moments, its terms and its upkeep', async () => {
    const { clock, deadlines, fired, record } = world()
    const part = deadlines.part()
    deadlines.after(500, record('other'))
    part.interval(HOUR, record('upkeep'))
    expect(part.waiting()).toEqual({ due: undefined, hasTerm: false })
    const moment = clock.now() + 2000
    part.at(moment + DAY, record('later'))
    part.at(moment, record('moment'))
    const term = part.after(1000, record('term'))
    expect(part.waiting()).toEqual({ due: moment, hasTerm: true })
    term.cancel()
    expect([part.waiting(), part.size, deadlines.size]).toEqual([{ due: moment, hasTerm: false }, 3, 4])
    await clock.advance(HOUR)
    expect(fired).toEqual(['other', 'moment', 'upkeep'])
    expect(part.waiting()).toEqual({ due: moment + DAY, hasTerm: false })
  })

  test('end with it, and leave those of the others', async () => {
    const { clock, deadlines, fired, record } = world()
    const part = deadlines.part()
    deadlines.after(500, record('other'))
    part.after(100, record('own'))
    part.close()
    part.after(100, record('late'))
    await clock.advance(DAY)
    expect([fired, deadlines.size]).toEqual([['other'], 0])
  })
})

describe('a clock step', () => {
  test('restarts relative deadlines at full length and fires an overdue absolute one once', async () => {
    const { clock, deadlines, fired, record } = world()
    const shifts: number[] = []
    deadlines.onClockStep((shift) => shifts.push(shift))
    deadlines.after(10 * 60_000, record('term'))
    deadlines.at(clock.now() + 2 * HOUR, record('moment'))
    clock.step(8 * HOUR)
    await clock.advance(10 * 60_000)
    expect(shifts).toEqual([8 * HOUR])
    expect(fired).toEqual(['moment'])
    await clock.advance(10 * 60_000 - 1)
    expect(fired).toEqual(['moment'])
    await clock.advance(1)
    expect(fired).toEqual(['moment', 'term'])
    expect(shifts).toHaveLength(1)
  })

  test('is detected as soon as a deadline is set', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.at(clock.now() + 50 * 60_000, record('moment'))
    clock.step(2 * HOUR)
    deadlines.after(30 * 60_000, record('term'))
    await clock.advance(0)
    expect(fired).toEqual(['moment'])
    await clock.advance(30 * 60_000)
    expect(fired).toEqual(['moment', 'term'])
  })

  test('is detected when the time is read and reported once', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(10 * 60_000, record('term'))
    deadlines.onClockStep(record('step'))
    const before = deadlines.now()
    expect(fired).toEqual([])
    clock.step(HOUR)
    expect([deadlines.now(), deadlines.now()]).toEqual([before + HOUR, before + HOUR])
    expect(fired).toEqual(['step'])
    await clock.advance(10 * 60_000)
    expect(fired).toEqual(['step', 'term'])
  })

  test('backwards changes neither the length of relative deadlines nor the due time of absolute ones', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(1000, record('term'))
    deadlines.at(clock.now() + 2000, record('moment'))
    clock.step(-HOUR)
    await clock.advance(2000)
    expect(fired).toEqual(['term'])
    await clock.advance(HOUR)
    expect(fired).toEqual(['term', 'moment'])
  })

  test('is not inferred from a small drift', async () => {
    const { clock, deadlines, fired, record } = world()
    const shifts: number[] = []
    const stop = deadlines.onClockStep((shift) => shifts.push(shift))
    deadlines.after(1000, record('a'))
    clock.step(-4000)
    await clock.advance(6000)
    expect(fired).toEqual(['a'])
    expect(shifts).toEqual([])
    stop()
  })
})

describe('a suspension of the process', () => {
  test('restarts relative deadlines at full length and fires an overdue absolute one once', async () => {
    const { clock, deadlines, fired, record } = world()
    const shifts: number[] = []
    deadlines.onClockStep((shift) => shifts.push(shift))
    deadlines.after(30_000, record('term'))
    deadlines.at(clock.now() + 20_000, record('moment'))
    await clock.advance(15_000)
    clock.stop(60_000)
    await clock.advance(0)
    expect(fired).toEqual(['moment'])
    expect(shifts).toEqual([0])
    await clock.advance(29_999)
    expect(fired).toEqual(['moment'])
    await clock.advance(1)
    expect(fired).toEqual(['moment', 'term'])
  })

  test('extends a relative deadline only once, however often it recurs', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.after(1000, record('term'))
    for (const expected of [[], ['term'], ['term']]) {
      clock.stop(60_000)
      await clock.advance(0)
      expect(fired).toEqual(expected)
    }
  })

  test('of a few seconds counts as a busy event loop', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.onClockStep(record('step'))
    deadlines.after(1000, record('term'))
    clock.stop(5_999)
    await clock.advance(0)
    expect(fired).toEqual(['term'])
  })
})

describe('an interval', () => {
  test('passes while the machine sleeps, so that upkeep happens on one that sleeps every night', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.interval(DAY, record('upkeep'))
    deadlines.after(DAY, record('term'))
    for (let night = 0; night < 2; night++) {
      await clock.advance(4 * HOUR)
      clock.step(9 * HOUR)
      await clock.advance(HOUR)
    }
    expect(fired).toEqual(['upkeep'])
  })

  test('is not prolonged by a clock that is set back', async () => {
    const { clock, deadlines, fired, record } = world()
    deadlines.interval(DAY, record('upkeep'))
    clock.step(-30 * DAY)
    await clock.advance(DAY + HOUR)
    expect(fired).toEqual(['upkeep'])
  })
})

describe('sleep', () => {
  test('resolves after its duration and rejects with the reason of its abort signal', async () => {
    const { clock, deadlines } = world()
    const slept = deadlines.sleep(1000)
    await clock.advance(1000)
    await slept
    const end = new AbortController()
    const cut = deadlines.sleep(1000, end.signal)
    end.abort(new Error('enough'))
    await expect(cut).rejects.toThrow('enough')
    await expect(deadlines.sleep(1000, end.signal)).rejects.toThrow('enough')
    expect(deadlines.size).toBe(0)
  })
})

test('a deadline fires on the real clock', async () => {
  const deadlines = new Deadlines()
  await deadlines.sleep(20)
  expect(deadlines.size).toBe(0)
  deadlines.close()
})
