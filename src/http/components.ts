import { Kind, type TSchema } from '@sinclair/typebox'
import { isObject } from '../core/json.ts'

/** A JSON Schema as the document shows it. */
export type JsonObject = Record<string, unknown>

const COMPONENTS = '#/components/schemas/'
const ref = (name: string): JsonObject => ({ $ref: COMPONENTS + name })
const nameOf = (at: string): string => at.slice(COMPONENTS.length)

/** Collects the named shapes of a document: each stands once under its name and is referred to. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonObject> = {}
  readonly #sources = new Map<string, TSchema>()

  /** The schema as the document shows it, its named parts replaced by references. */
  show(schema: TSchema): JsonObject {
    const name = schema.$id
    if (name === undefined) return this.#plain(schema)
    const source = this.#sources.get(name)
    if (source === undefined) {
      this.#sources.set(name, schema)
      this.schemas[name] = this.#alternatives(this.#plain(schema))
    } else if (source !== schema && JSON.stringify(source) !== JSON.stringify(schema)) {
      throw new TypeError(`two different shapes are called ${name}`)
    }
    return ref(name)
  }

  #plain(schema: TSchema): JsonObject {
    if (schema[Kind] === 'Uint8Array') return { type: 'string', format: 'binary' }
    if (schema[Kind] === 'Record') return this.#record(schema)
    const shown: JsonObject = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$id' || key === 'additionalItems') continue
      shown[key] = this.#member(key, value)
    }
    if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#')) return ref(schema.$ref)
    return Array.isArray(schema.items) ? tuple(shown) : folded(shown)
  }

  /** A named union of named shapes offers exactly one of them, and says which property distinguishes. */
  #alternatives(shown: JsonObject): JsonObject {
    const { anyOf, ...rest } = shown
    if (!Array.isArray(anyOf) || anyOf.length < 2) return shown
    const names = anyOf.flatMap((one) => (isObject(one) && typeof one.$ref === 'string' ? [nameOf(one.$ref)] : []))
    if (names.length < anyOf.length) return shown
    const discriminator = discriminatorOf(new Map(names.map((name) => [name, this.schemas[name]?.properties])))
    return { ...rest, oneOf: anyOf, ...(discriminator && { discriminator }) }
  }

  #member(key: string, value: unknown): unknown {
    if (HOLDS_MANY.has(key) && isObject(value)) return mapValues(value, (one) => this.#maybe(one))
    if (HOLDS_LIST.has(key) && Array.isArray(value)) return value.map((one) => this.#maybe(one))
    if (key === 'items' && Array.isArray(value)) return value.map((one) => this.#maybe(one))
    return HOLDS_ONE.has(key) ? this.#maybe(value) : value
  }

  #maybe(value: unknown): unknown {
    return isObject(value) ? this.show(value as TSchema) : value
  }

  /** Any keys, one shape of value. */
  #record({ patternProperties, ...rest }: TSchema): JsonObject {
    const [values] = Object.values<TSchema>(patternProperties ?? {})
    const { $id: _, ...shown } = rest
    return { ...shown, additionalProperties: values ? this.show(values) : true }
  }
}

const HOLDS_ONE = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
])
const HOLDS_LIST = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])
const HOLDS_MANY = new Set(['properties', 'patternProperties', '$defs'])

/** "A string or null" and "one of these words" the short way. */
function folded(shown: JsonObject): JsonObject {
  const { anyOf, ...rest } = shown
  if (!Array.isArray(anyOf)) return shown
  const some = anyOf.filter((one) => !isNull(one))
  const nullable = some.length < anyOf.length
  const words = some.every((one) => isObject(one) && 'const' in one && typeof one.type === 'string')
  const types = new Set(some.map((one) => one.type))
  if (words && types.size === 1) {
    const [type] = types
    const values = some.map((one) => one.const)
    return { ...rest, type: nullable ? [type, 'null'] : type, enum: nullable ? [...values, null] : values }
  }
  const [only] = some
  if (!nullable || some.length !== 1 || !isObject(only) || typeof only.type !== 'string' || 'const' in only)
    return shown
  const values = Array.isArray(only.enum) ? { enum: [...only.enum, null] } : {}
  return { ...only, ...rest, ...values, type: [only.type, 'null'] }
}

/** The property that has a value of its own in each shape; a shape for all other values may be among them. */
function discriminatorOf(shapes: ReadonlyMap<string, unknown>): JsonObject | undefined {
  const [first] = shapes.values()
  for (const propertyName of isObject(first) ? Object.keys(first) : []) {
    const kinds = [...shapes].map(([name, properties]) => [name, member(properties, propertyName)] as const)
    const values = kinds.flatMap(([name, kind]) =>
      typeof kind?.const === 'string' ? [[kind.const, name] as const] : [],
    )
    const others = kinds.filter(([, kind]) => isObject(kind?.not)).length
    const mapping = Object.fromEntries(values.map(([value, name]) => [value, COMPONENTS + name]))
    if (others > 1 || Object.keys(mapping).length + others < shapes.size) continue
    return { propertyName, mapping }
  }
  return undefined
}

function member(properties: unknown, name: string): JsonObject | undefined {
  const one = isObject(properties) ? properties[name] : undefined
  return isObject(one) ? one : undefined
}

const tuple = ({ items, ...rest }: JsonObject): JsonObject => ({ ...rest, prefixItems: items, items: false })

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

const mapValues = (of: JsonObject, change: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]))
