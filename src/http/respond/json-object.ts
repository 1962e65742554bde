import { isObject } from '../../core/json.ts'
import type { JsonObject } from '../components.ts'

/** An object inside an object; empty when there is none. */
export const getObject = (of: JsonObject, name: string): JsonObject => {
  const value = of[name]
  return isObject(value) ? value : {}
}

/** The objects of a list inside an object. */
export const getObjects = (of: JsonObject, name: string): readonly JsonObject[] => {
  const value = of[name]
  return Array.isArray(value) ? value : []
}

/** A text inside an object; empty when there is none. */
export const getString = (of: JsonObject, name: string): string => {
  const value = of[name]
  return typeof value === 'string' ? value : ''
}
