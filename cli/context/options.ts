import { type Command, InvalidArgumentError } from 'commander'

/** What every command that can print JSON takes. */
export interface JsonOption {
  json?: true
}

export const withJson = (command: Command): Command =>
  command.option('--json', 'print the answer of the server as JSON')

/** A whole number that is not negative. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be an integer of 0 or more.')
  return Number(text)
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

/** A length of time in milliseconds: `30s`, `10m`, `2h`; a number alone is seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('It must be a duration, such as 30s, 10m or 2h.')
  return Number(amount) * (UNITS[unit] ?? 0)
}

/** A priority as people write it: `1` or `P1`. */
export function parsePriority(text: string): number {
  const [, digit] = /^[Pp]?([0-4])$/.exec(text) ?? []
  if (digit === undefined) throw new InvalidArgumentError('It must be 0 to 4, or P0 to P4.')
  return Number(digit)
}

/** Collects an option that may be given more than once, or with commas. */
export const collectList = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
]

/** Collects `key=value`. */
export function collectPair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must look like key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
