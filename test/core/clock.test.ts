import { expect, test } from 'bun:test'
import { toSecond, toTimestamp } from '../../src/core/clock.ts'

/** A step between moments that meets every hour, minute and second, and the days of leap years. */
const STEP = 7 * 86_400_000 + 3_661_001
/** The moment after the last year that has four digits. */
const END = Date.UTC(10_000, 0)

const withoutFraction = (at: number): string => toTimestamp(at).replace(/\.\d+Z$/, 'Z')

test('a moment in seconds is its timestamp without the fraction', () => {
  expect(toSecond(Date.UTC(2026, 1, 5, 9, 8, 7, 650))).toBe('2026-02-05T09:08:07Z')
  for (let at = Date.UTC(1960, 0); at < Date.UTC(2110, 0); at += STEP) expect(toSecond(at)).toBe(withoutFraction(at))
  for (const at of [0, -1, 0.5, 86_399_999, 86_400_000, END - 1, END]) expect(toSecond(at)).toBe(withoutFraction(at))
})

test('a number outside the range of dates is rejected', () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => toSecond(at)).toThrow(RangeError)
})
