import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

/** Takes the nulls out of a value that its schema allows to be absent but not to be null. */
export type NullStripper = (value: unknown) => void

/** The tidier of a schema; undefined when no null in it can mean absence. */
export function createNullStripper(schema: TSchema): NullStripper | undefined {
  if (schema[Kind] === 'Object') return createObjectStripper(schema)
  if (schema[Kind] === 'Array') return createItemStripper(schema.items, (value) => (Array.isArray(value) ? value : []))
  if (schema[Kind] === 'Record') {
    const [item] = Object.values<TSchema>(schema.patternProperties ?? {})
    return item && createItemStripper(item, (value) => (isObject(value) ? Object.values(value) : []))
  }
  const values = (schema.anyOf ?? []).filter((one: TSchema) => one[Kind] !== 'Null')
  return values.length === 1 ? createNullStripper(values[0]) : undefined
}

function createItemStripper(item: TSchema, children: (value: unknown) => unknown[]): NullStripper | undefined {
  const strip = createNullStripper(item)
  return strip && ((value) => children(value).forEach(strip))
}

function createObjectStripper(schema: TSchema): NullStripper | undefined {
  const properties = Object.entries<TSchema>(schema.properties ?? {})
  const optional = properties.flatMap(([name, property]) => (isStrippable(property) ? [name] : []))
  const nested = properties.flatMap(([name, property]) => {
    const strip = createNullStripper(property)
    return strip ? [{ name, strip }] : []
  })
  if (optional.length + nested.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return
    for (const name of optional) if (value[name] === null) delete value[name]
    for (const { name, strip } of nested) if (Object.hasOwn(value, name)) strip(value[name])
  }
}

const isStrippable = (schema: TSchema): boolean => schema[OptionalKind] === 'Optional' && !acceptsNull(schema)

const acceptsNull = (schema: TSchema): boolean =>
  ['Null', 'Any', 'Unknown'].includes(schema[Kind]) || (schema.anyOf ?? []).some(acceptsNull)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
