/** An object out of somebody else's log. */
export type Json = Readonly<Record<string, unknown>>

const NOTHING: Json = {}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value as an object; an empty one when it is none. */
export const object = (value: unknown): Json => (isObject(value) ? value : NOTHING)

export const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value as a text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const whole = (value: unknown): number | undefined => {
  const known = number(value)
  return known === undefined ? undefined : Math.round(known)
}

export const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)

export const texts = (value: unknown): string[] | undefined => {
  const all = items(value).filter((item) => typeof item === 'string')
  return all.length > 0 ? all : undefined
}

/** The first of these fields that holds a text. */
export function textOf(from: Json, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = text(from[name])
    if (found !== undefined) return found
  }
  return undefined
}

/** Any value as a text: itself, or as JSON. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** The value of a text that may be JSON. */
export function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The fields that are there. */
export function present<T extends object>(fields: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}

/** A moment of a log, in milliseconds: RFC 3339 or a number; undefined when it is on no calendar. */
export function moment(value: unknown): number | undefined {
  const at = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN).getTime()
  return Number.isNaN(at) ? undefined : at
}
