import type { Json } from './hoist.ts'

/** An object inside an object; empty when there is none. */
export const child = (of: Json, name: string): Json => {
  const value = of[name]
  return isObject(value) ? value : {}
}

/** The objects of a list inside an object. */
export const list = (of: Json, name: string): readonly Json[] => {
  const value = of[name]
  return Array.isArray(value) ? value : []
}

/** A text inside an object; empty when there is none. */
export const text = (of: Json, name: string): string => {
  const value = of[name]
  return typeof value === 'string' ? value : ''
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
