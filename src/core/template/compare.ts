import { compareBytes, failure, typeName, type Value } from './value.ts'

/** Whether two values are equal; throws for values of different types. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b
  if (typeName(a) !== typeName(b)) throw failure(`${typeName(a)} and ${typeName(b)} cannot be compared`)
  if (typeof a === 'object') throw failure(`values of type ${typeName(a)} cannot be compared`)
  return a === b
}

/** Whether the first value is less than the second; throws for values without an order. */
export function isLess(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b) < 0
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b
  if (typeof a === 'number' && typeof b === 'number') return a < b
  throw failure(`${typeName(a)} and ${typeName(b)} have no order`)
}

export const isLessOrEqual = (a: Value, b: Value): boolean => isLess(a, b) || isEqual(a, b)
