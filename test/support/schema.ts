type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The part of a document that a `$ref` names. */
export function resolve(document: Json, ref: string): Json | undefined {
  const target = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (at, key) => (isObject(at) ? at[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      document,
    )
  return isObject(target) ? target : undefined
}

/** Mismatches between a value and a JSON schema of a document, with their places; empty without any. */
export function misfits(document: Json, schema: unknown, value: unknown, at = 'body'): string[] {
  if (!isObject(schema)) return []
  if (typeof schema.$ref === 'string') {
    const target = resolve(document, schema.$ref)
    return target ? misfits(document, target, value, at) : [`${at}: ${schema.$ref} leads nowhere`]
  }
  const rules = [typeMisfits, valueMisfits, boundMisfits]
  return [
    ...rules.flatMap((rule) => rule(schema, value, at)),
    ...choiceMisfits(document, schema, value, at),
    ...(isObject(value) ? objectMisfits(document, schema, value, at) : []),
    ...(Array.isArray(value) ? listMisfits(document, schema, value, at) : []),
  ]
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function typeMisfits({ type }: Json, value: unknown, at: string): string[] {
  if (type === undefined) return []
  const allowed = [type].flat()
  const actual = typeOf(value)
  return allowed.includes(actual) || (actual === 'integer' && allowed.includes('number'))
    ? []
    : [`${at}: is ${actual}, not ${allowed.join(' or ')}`]
}

function valueMisfits(schema: Json, value: unknown, at: string): string[] {
  if ('const' in schema && schema.const !== value) return [`${at}: is ${value}, not ${schema.const}`]
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return [`${at}: ${value} is none of ${schema.enum}`]
  return []
}

function boundMisfits(schema: Json, value: unknown, at: string): string[] {
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : value
  const words =
    typeof value === 'string'
      ? ['minLength', 'maxLength']
      : Array.isArray(value)
        ? ['minItems', 'maxItems']
        : ['minimum', 'maximum']
  const [least, most] = words.map((word) => schema[word])
  const errors: string[] = []
  if (typeof size !== 'number') return errors
  if (typeof least === 'number' && size < least) errors.push(`${at}: ${size} is below ${least}`)
  if (typeof most === 'number' && size > most) errors.push(`${at}: ${size} is above ${most}`)
  if (typeof value === 'string' && typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test(value)) {
    errors.push(`${at}: ${value} does not match ${schema.pattern}`)
  }
  return errors
}

function choiceMisfits(document: Json, schema: Json, value: unknown, at: string): string[] {
  const fits = (one: Json) => misfits(document, one, value, at)
  const errors = objects(schema.allOf).flatMap(fits)
  const choices = [...objects(schema.anyOf), ...objects(schema.oneOf)]
  if (choices.length === 0) return errors
  const each = choices.map(fits)
  return each.some((one) => one.length === 0)
    ? errors
    : [...errors, `${at}: fits no choice (${each.flat().join('; ')})`]
}

function objectMisfits(document: Json, schema: Json, value: Json, at: string): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name}: missing`)
  const others = Object.entries(value).flatMap(([name, inner]) => {
    const declared = properties[name] ?? schema.additionalProperties
    return declared === false ? [`${at}.${name}: not declared`] : misfits(document, declared, inner, `${at}.${name}`)
  })
  return [...missing, ...others]
}

function listMisfits(document: Json, schema: Json, value: unknown[], at: string): string[] {
  const first = objects(schema.prefixItems)
  return value.flatMap((item, index) => misfits(document, first[index] ?? schema.items, item, `${at}[${index}]`))
}
