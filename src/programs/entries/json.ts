import { isObject } from '../../core/json.ts'
import { isNestedTooDeep, MAX_WRITTEN_DEPTH, withoutLoneSurrogates } from '../../core/text/index.ts'

export { isObject }

/** An object of a foreign JSON document. */
export type JsonRecord = Readonly<Record<string, unknown>>

const EMPTY: JsonRecord = {}

/** The value when it is an object, else an empty object. */
export const asObject = (value: unknown): JsonRecord => (isObject(value) ? value : EMPTY)

/** The value when it is an array, else an empty array. */
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value when it is a string that is not empty. */
export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The value when it is a finite number. */
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The value rounded to an integer, when it is a finite number. */
export const asInteger = (value: unknown): number | undefined => {
  const number = asNumber(value)
  return number === undefined ? undefined : Math.round(number)
}

export const asBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)

/** The strings of an array; undefined when it has none. */
export const asStrings = (value: unknown): string[] | undefined => {
  const strings = asArray(value).filter((item) => typeof item === 'string')
  return strings.length > 0 ? strings : undefined
}

/** The value of the first of these fields that holds a string. */
export function firstString(from: JsonRecord, ...fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = asString(from[field])
    if (value !== undefined) return value
  }
  return undefined
}

/** A string unchanged, any other value as JSON. */
export const stringify = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** The value of a JSON document; undefined when it is not JSON, or nested too deep to be written again. */
export function parseJson(document: string): unknown {
  if (isNestedTooDeep(document, MAX_WRITTEN_DEPTH)) return undefined
  try {
    return JSON.parse(withoutLoneSurrogates(document))
  } catch {
    return undefined
  }
}

/** The fields that are not undefined. */
export function omitUndefined<T extends object>(fields: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}

/** A date in milliseconds since the epoch, from RFC 3339 or a number; undefined when it is not a date. */
export function asTimestamp(value: unknown): number | undefined {
  const milliseconds = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN).getTime()
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}
