import { formatAge, formatTime, sanitizeLine } from '../../src/client/text.ts'
import type { Cell } from './page.ts'

/** Full text of a cell. */
export function shownText({ text, since, at }: Cell, now: number): string {
  if (since !== undefined) return formatAge(since, now)
  return at === undefined ? sanitizeLine(text ?? '') : shortTime(at, now)
}

/** `14:03:09`, and on another day `11-27 14:03`. */
export function shortTime(timestamp: string, now: number): string {
  const time = formatTime(timestamp, now)
  return time.length > TIME_OF_DAY ? time.slice('2026-'.length, -':00'.length) : time
}

const TIME_OF_DAY = '14:03:09'.length
