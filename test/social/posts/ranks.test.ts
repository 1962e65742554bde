import { describe, expect, test } from 'bun:test'
import {
  ageClassEnd,
  ageClassesWithin,
  ageClassOf,
  best,
  controversy,
  hot,
  rising,
  startOf,
} from '../../../src/social/posts/ranks.ts'

const NOW = Date.parse('2026-01-05T09:00:00Z')
const HOUR = 3_600_000
const tally = (upvotes: number, downvotes = 0) => ({ score: upvotes - downvotes, upvotes, downvotes })

describe('hot', () => {
  test('counts ten times the votes as half a day', () => {
    const gain = hot(tally(100), NOW, NOW) - hot(tally(10), NOW, NOW)
    expect(gain).toBeCloseTo(1)
    expect(hot(tally(10), NOW, NOW)).toBeCloseTo(hot(tally(100), NOW - 45_000_000, NOW))
    expect(hot(tally(10), NOW, NOW)).toBeCloseTo(1 + NOW / 1000 / 45_000)
  })

  test('rises with every upvote and falls with every downvote', () => {
    const ranks = [-100, -10, 0, 2, 10, 100].map((score) => hot({ score }, NOW, NOW))
    expect(ranks).toEqual([...ranks].sort((one, other) => one - other))
  })
})

describe('rising', () => {
  test('falls with age, and is 0 after a week', () => {
    expect(rising(tally(7), NOW - 2 * HOUR, NOW)).toBeCloseTo(1)
    expect(rising(tally(7), NOW - 167 * HOUR, NOW)).toBeGreaterThan(0)
    expect(rising(tally(7), NOW - 168 * HOUR, NOW)).toBe(0)
  })
})

test('a date in the future gains nothing', () => {
  for (const rank of [hot, rising]) expect(rank(tally(5), NOW + 1000 * HOUR, NOW)).toBe(rank(tally(5), NOW, NOW))
})

test('controversy needs votes on both sides, in whatever number', () => {
  expect(controversy(tally(0))).toBe(0)
  expect(controversy(tally(10))).toBe(0)
  expect(controversy(tally(5, 5))).toBe(10)
  expect(controversy(tally(6, 4))).toBeCloseTo(8)
})

test('the best rank needs many votes, not only a high share', () => {
  expect(best(tally(0))).toBe(0)
  expect(best(tally(100, 1))).toBeGreaterThan(best(tally(2)))
  expect(best(tally(2))).toBeGreaterThan(best(tally(2, 2)))
  expect(best(tally(0, 1))).toBeLessThan(best(tally(1)))
})

test('age classes cover all time, and each time range covers its own', () => {
  const ages = [0, 2 * HOUR, 30 * HOUR, 200 * HOUR, 1_000 * HOUR, 10_000 * HOUR]
  expect(ages.map((age) => ageClassOf(NOW - age, NOW))).toEqual([0, 1, 2, 3, 4, 5])
  expect(ageClassesWithin('day')).toEqual([0, 1])
  expect(ageClassesWithin('all')).toEqual([0, 1, 2, 3, 4, 5])
  expect(startOf('hour', NOW)).toBe(NOW - HOUR + 1)
  expect(startOf('all', NOW)).toBe(0)
  expect(ageClassEnd(0, NOW)).toBe(NOW + HOUR)
  expect(ageClassOf(NOW + HOUR, NOW)).toBe(0)
})
