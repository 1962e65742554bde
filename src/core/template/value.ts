import { TemplateError } from './error.ts'

/** The data of a template: texts by name. */
export type TemplateData = ReadonlyMap<string, string>

/** Value of an expression: an integer is a bigint, a fraction a number, and undefined no value. */
export type Value = string | bigint | number | boolean | TemplateData | undefined

/** Name of a value's type in the language of templates. */
export function typeName(value: Value): string {
  if (value === undefined) return 'nil'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'map[string]string'
}

/** True if a value counts as true: it is not empty, nothing, zero or false. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'object') return value.size > 0
  return Boolean(value)
}

/** A text by its bytes, which is how templates count and cut. */
export const toBytes = (text: string): Buffer => Buffer.from(text, 'utf8')

export const compareBytes = (a: string, b: string): number => Buffer.compare(toBytes(a), toBytes(b))

/** The entries of the data in the order in which templates go through them. */
export const sortedEntries = (data: TemplateData): [string, string][] =>
  [...data].sort(([a], [b]) => compareBytes(a, b))

/** Wraps what a function finds wrong; the interpreter adds the line. */
export const failure = (message: string): TemplateError => new TemplateError(message, 0)
