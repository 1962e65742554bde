import { InvalidArgumentError } from 'commander'

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/** Parses a date or a timestamp; `-2d`, `12h` and `1w` are that long ago. */
export function parseDate(text: string): number {
  const [, amount, unit = ''] = /^-?(\d{1,6})([mhdw])$/.exec(text.trim()) ?? []
  if (amount !== undefined) return Date.now() - Number(amount) * (UNITS_MS[unit] ?? 0)
  const timestamp = Date.parse(text)
  if (!Number.isNaN(timestamp) && /^\d{4}-\d\d-\d\d/.test(text.trim())) return timestamp
  throw new InvalidArgumentError('It must be a date, such as 2030-01-31 or 2030-01-31T09:00:00Z, or an age: 12h, 2d.')
}

/** Parses a time to come to a timestamp: a date, a timestamp, or `+6h`, `+2d`, `+1w` from now. */
export function parseMoment(text: string): string {
  const [, amount, unit = ''] = /^\+(\d{1,6})([mhdw])$/.exec(text.trim()) ?? []
  if (amount !== undefined) return new Date(Date.now() + Number(amount) * (UNITS_MS[unit] ?? 0)).toISOString()
  const timestamp = Date.parse(text)
  if (!Number.isNaN(timestamp) && /^\d{4}-\d\d-\d\d/.test(text.trim())) return new Date(timestamp).toISOString()
  throw new InvalidArgumentError('It must be a date, such as 2030-01-31 or 2030-01-31T09:00:00Z, or a delay: +6h, +2d.')
}
