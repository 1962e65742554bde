import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

/** Takes the nulls out of a value that its schema allows to be absent but not to be null. */
export type Tidy = (value: unknown) => void

/** The tidier of a schema; undefined when no null in it can mean absence. */
export function tidier(schema: TSchema): Tidy | undefined {
  if (schema[Kind] === 'Object') return tidyObject(schema)
  if (schema[Kind] === 'Array') return each(schema.items, (value) => (Array.isArray(value) ? value : []))
  if (schema[Kind] === 'Record') {
    const [item] = Object.values<TSchema>(schema.patternProperties ?? {})
    return item && each(item, (value) => (isObject(value) ? Object.values(value) : []))
  }
  const values = (schema.anyOf ?? []).filter((one: TSchema) => one[Kind] !== 'Null')
  return values.length === 1 ? tidier(values[0]) : undefined
}

function each(item: TSchema, children: (value: unknown) => unknown[]): Tidy | undefined {
  const tidy = tidier(item)
  return tidy && ((value) => children(value).forEach(tidy))
}

function tidyObject(schema: TSchema): Tidy | undefined {
  const properties = Object.entries<TSchema>(schema.properties ?? {})
  const optional = properties.flatMap(([name, property]) => (droppable(property) ? [name] : []))
  const nested = properties.flatMap(([name, property]) => {
    const tidy = tidier(property)
    return tidy ? [{ name, tidy }] : []
  })
  if (optional.length + nested.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return
    for (const name of optional) if (value[name] === null) delete value[name]
    for (const { name, tidy } of nested) if (Object.hasOwn(value, name)) tidy(value[name])
  }
}

const droppable = (schema: TSchema): boolean => schema[OptionalKind] === 'Optional' && !takesNull(schema)

const takesNull = (schema: TSchema): boolean =>
  ['Null', 'Any', 'Unknown'].includes(schema[Kind]) || (schema.anyOf ?? []).some(takesNull)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
