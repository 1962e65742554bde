import { constantOf } from '../constants.ts'

/** What the reference says of a key beside the type that the code reads. */
export interface Key {
  /** Its effect, in one sentence. */
  readonly about: string
  /** A value as it is written in the file. */
  readonly example: string
  /** The value without the key; absent where the effect says it, or there is none. */
  readonly usual?: string
  /** Its type where the code reads a text and judges it later. */
  readonly type?: string
}

/** The keys of a section. */
export type Keys = Readonly<Record<string, Key>>

type Row = readonly [about: string, example: string, more?: Pick<Key, 'usual' | 'type'>]

/** Keys written as rows: the effect, an example, the default or another type. */
export const keys = (rows: Readonly<Record<string, Row>>): Keys =>
  Object.fromEntries(Object.entries(rows).map(([name, [about, example, more]]) => [name, { about, example, ...more }]))

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** A duration in its largest whole unit: `7d`, `90s`. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

/** The number of milliseconds in a source file as the value of a key. */
export const durationOf = (path: string, name: string): string => `\`"${formatDuration(constantOf(path, name))}"\``

/** The default of a key that is a duration, from the sources. */
export const usualDuration = (path: string, name: string) => ({ type: 'duration', usual: durationOf(path, name) })

/** The default of a key that is a number, from the sources. */
export const usualNumber = (path: string, name: string) => ({ usual: String(constantOf(path, name)) })

export const DURATION = { type: 'duration' }
export const DURATION_OR_OFF = { type: 'duration or `"off"`' }
