import { resolve } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One operation of a served document, with what it takes. */
export interface Operation {
  id: string
  method: string
  /** As the document writes it. */
  path: string
  tag: string
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  /** True if it takes a body as it comes, whatever is in it. */
  takesBytes: boolean
  /** The schema of a JSON body; undefined when it takes none. */
  body: Json | undefined
  bodyRequired: boolean
  /** `stream`, `socket` or `json`. */
  kind: 'stream' | 'socket' | 'json'
}

/** Every operation of a document. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(Object(document.paths)).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, of]) =>
      isObject(of) ? [read(method, path, of)] : [],
    ),
  )
}

function read(method: string, path: string, of: Json): Operation {
  const request = Object(of.requestBody)
  const json = Object(Object(request.content)['application/json'])
  const responses = Object(of.responses)
  const media = Object.keys(Object(Object(responses['200']).content))
  return {
    id: String(of.operationId),
    method: method.toUpperCase(),
    path,
    tag: String([of.tags].flat()[0]),
    parameters: [of.parameters].flat().filter(isObject).map(toParameter),
    takesBytes: 'application/octet-stream' in Object(request.content),
    body: isObject(json.schema) ? json.schema : undefined,
    bodyRequired: request.required === true,
    kind: '101' in responses ? 'socket' : media.includes('text/event-stream') ? 'stream' : 'json',
  }
}

const toParameter = (of: Json) => ({
  name: String(of.name),
  in: String(of.in),
  required: of.required === true,
  schema: Object(of.schema),
})

/** The query that an operation cannot do without, `?` included. */
export function leastQuery(document: Json, { parameters }: Operation): string {
  const query = new URLSearchParams()
  for (const one of parameters) {
    if (one.in === 'query' && one.required) query.set(one.name, String(least(document, one.schema)))
  }
  return query.size > 0 ? `?${query}` : ''
}

/** The smallest value that fits a schema: required fields only. */
export function least(document: Json, schema: unknown): unknown {
  if (!isObject(schema)) return 'x'
  if (typeof schema.$ref === 'string') return least(document, resolve(document, schema.$ref))
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choice = [schema.anyOf, schema.oneOf].flat().find(isObject)
  if (choice) return least(document, choice)
  const [type] = [schema.type].flat()
  if (type === 'object') return leastObject(document, schema)
  if (type === 'array') return Array.from({ length: Number(schema.minItems ?? 0) }, () => least(document, schema.items))
  if (type === 'boolean') return false
  if (type === 'null') return null
  if (type === 'integer' || type === 'number') return Number(schema.minimum ?? 0)
  return schema.format === 'date-time' ? '2030-01-01T00:00:00Z' : 'x'.repeat(Number(schema.minLength ?? 1))
}

function leastObject(document: Json, schema: Json): Json {
  const required = [schema.required].flat().filter((name) => typeof name === 'string')
  return Object.fromEntries(required.map((name) => [name, least(document, Object(schema.properties)[name])]))
}
