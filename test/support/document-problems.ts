import { resolve } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** Everything that is wrong with an OpenAPI document of ours; empty when every operation and shape is as it must be. */
export function documentProblems(document: Json, namedOnly: readonly string[] = []): string[] {
  const operations = operationsOf(document)
  return [
    ...operations.flatMap(({ at, of, path }) => operationProblems(at, of, path)),
    ...repeated(operations.map(({ of }) => String(of.operationId))).map((id) => `${id}: names two operations`),
    ...nodes(document, '#').flatMap(({ at, of }) => nodeProblems(document, at, of)),
    ...schemaNodes(document).flatMap(({ at, of }) => schemaProblems(at, of)),
    ...unused(document, namedOnly),
  ]
}

function operationsOf(document: Json): { at: string; path: string; of: Json }[] {
  const paths = isObject(document.paths) ? document.paths : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const of = isObject(item) ? item[method] : undefined
      return isObject(of) ? [{ at: `${method.toUpperCase()} ${path}`, path, of }] : []
    }),
  )
}

function operationProblems(at: string, of: Json, path: string): string[] {
  const responses = isObject(of.responses) ? Object.keys(of.responses) : []
  const parameters = Array.isArray(of.parameters) ? of.parameters.filter(isObject) : []
  const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name)
  const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
  const problems = [
    [!of.operationId, 'has no operationId'],
    [!of.summary, 'has no summary'],
    [!Array.isArray(of.tags) || of.tags.length !== 1, 'has no single tag'],
    [!responses.some((status) => /^[123]/.test(status)), 'declares no success'],
    [!responses.some((status) => /^[45]/.test(status)), 'declares no error'],
    [named.join() !== inPath.join(), `path names ${named}, parameters are ${inPath}`],
    [repeated(parameters.map((one) => `${one.in} ${one.name}`)).length > 0, 'declares a parameter twice'],
  ] as const
  return problems.flatMap(([wrong, what]) => (wrong ? [`${at}: ${what}`] : []))
}

const repeated = (names: string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index)

interface Node {
  at: string
  of: Json
}

function nodes(value: unknown, at: string): Node[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => nodes(item, `${at}/${index}`))
  if (!isObject(value)) return []
  return [{ at, of: value }, ...Object.entries(value).flatMap(([key, inner]) => nodes(inner, `${at}/${key}`))]
}

function nodeProblems(document: Json, at: string, { $ref, $id }: Json): string[] {
  if (typeof $ref === 'string' && !resolve(document, $ref)) return [`${at}: ${$ref} leads nowhere`]
  return typeof $id === 'string' ? [`${at}: ${$id} is not hoisted`] : []
}

/** Everything that stands where a schema stands: named shapes, and what is under a `schema`. */
function schemaNodes(document: Json): Node[] {
  const components = isObject(document.components) ? document.components : {}
  const named = isObject(components.schemas) ? components.schemas : {}
  const roots = [
    ...Object.entries(named).map(([name, of]) => ({ at: `#/components/schemas/${name}`, of })),
    ...nodes(document, '#').flatMap(({ at, of }) => ('schema' in of ? [{ at: `${at}/schema`, of: of.schema }] : [])),
  ]
  return roots.flatMap(({ at, of }) => below(of, at))
}

const ONE = ['items', 'additionalProperties', 'not']
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems']

function below(schema: unknown, at: string): Node[] {
  if (!isObject(schema)) return []
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const lists = LIST.flatMap((key) =>
    Array.isArray(schema[key]) ? schema[key].map((one, index) => [`${key}/${index}`, one] as const) : [],
  )
  const inner = [...properties, ...lists, ...ONE.map((key) => [key, schema[key]] as const)]
  return [{ at, of: schema }, ...inner.flatMap(([key, one]) => below(one, `${at}/${key}`))]
}

const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'])
const SHAPED = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const']

function schemaProblems(at: string, of: Json): string[] {
  const types = of.type === undefined ? [] : [of.type].flat()
  const strange = types.filter((type) => !TYPES.has(String(type)))
  if (strange.length > 0) return [`${at}: ${strange} is not a type`]
  if (of.nullable !== undefined) return [`${at}: nullable is not of OpenAPI 3.1`]
  const bare =
    types.length === 0 && !SHAPED.some((key) => key in of) && Object.keys(of).some((key) => key !== 'description')
  return bare ? [`${at}: has no type`] : []
}

function unused(document: Json, namedOnly: readonly string[]): string[] {
  const refs = new Set(nodes(document, '#').map(({ of }) => of.$ref))
  const components = isObject(document.components) ? document.components : {}
  const names = isObject(components.schemas) ? Object.keys(components.schemas) : []
  const isUnused = (name: string) => !refs.has(`#/components/schemas/${name}`) && !namedOnly.includes(name)
  return names.filter(isUnused).map((name) => `${name}: is used nowhere`)
}
