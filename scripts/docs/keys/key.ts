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

export const DURATION = { type: 'duration' }
export const DURATION_OR_OFF = { type: 'duration or `"off"`' }
