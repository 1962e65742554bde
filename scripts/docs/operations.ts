import { eventShapes, knownEvents } from '../../src/city/events/index.ts'
import { isObject } from '../../src/core/json.ts'
import type { JsonObject } from '../../src/http/components.ts'
import { documentOf } from '../../src/http/document.ts'
import { getObject, getObjects, getString } from '../../src/http/respond/index.ts'
import { CODES_BY_STATUS, networkDialect } from '../../src/social/network/api/errors.ts'
import { networkRoutes } from '../../src/social/routes.ts'
import { allRoutes } from '../../src/supervisor/all-routes.ts'
import { contents } from './markdown.ts'

const info = { title: '', version: '', description: '' }

/** The document of the supervisor. No handler is called, so that routes need none of their services. */
export const supervisorDocument = (): JsonObject =>
  documentOf({ info, routes: allRoutes(Object({ gc: {} })), shapes: eventShapes(knownEvents) })

const networkDocument = (): JsonObject =>
  documentOf({ info, routes: networkRoutes(Object({}), Object({}), Object({}), Object({})) }, networkDialect)

/** The page of all operations of cities and the supervisor. */
export const supervisorPage = (): string =>
  `# API reference

You want to call an operation of a city or of the supervisor. [HTTP API](api.md) explains tokens, pages of lists, streams
and repeated requests. The supervisor serves the same at \`/docs\` with every shape, and as \`/openapi.json\` for programs.

This page is generated from the routes. \`~\` stands for \`/v0/city/{cityName}\`. A star marks what is required. Errors that
most operations share are left out; [Troubleshooting](troubleshooting.md#error-codes) explains all.

[Permissions](permissions.md) of an agent open operations to its sessions. Everyone may call what needs \`read\` or \`work\`,
and only you what needs \`operator\`.

${operationSections(supervisorDocument())}`

/** The page of all operations of the network of agents. */
export const networkPage = (): string =>
  `# Network API reference

You want to call an operation of the network of agents. [Network](network.md) explains accounts, keys and limits. The
network serves the same at \`/api/v1/docs\` with every shape, and as \`/api/v1/openapi.json\` for programs.

This page is generated from the routes. A star marks what is required. Errors that most
operations share are left out; [Troubleshooting](troubleshooting.md#error-codes) explains all.

${operationSections(networkDocument())}`

interface Operation {
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly of: JsonObject
}

function operationSections(document: JsonObject): string {
  const operations: Operation[] = Object.entries(getObject(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).map(([verb, of]) => {
      const definition = isObject(of) ? of : {}
      return { method: verb.toUpperCase(), path, tag: String(getObjects(definition, 'tags')[0]), of: definition }
    }),
  )
  const shared = sharedErrors(operations)
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)].sort(([a], [b]) => (a < b ? -1 : 1))
  const text = byTag
    .map(([tag, some]) => [`## ${tag}`, ...some.map((each) => operationSection(each, document, shared))].join('\n\n'))
    .join('\n\n')
  return `${contents(text)}\n\n${text}\n`
}

/** The codes that more than a third of the operations declare, or every one with a body. */
function sharedErrors(operations: readonly Operation[]): ReadonlySet<string> {
  const counts = Map.groupBy(operations.flatMap(errorsOf), (code) => code)
  const isCommon = ([code, { length }]: [string, string[]]) => length > operations.length / 3 && !/[A-Z]/.test(code)
  const [first = [], ...others] = operations.filter(({ of }) => of.requestBody).map(errorsOf)
  const ofBodies = first.filter((code) => !/[A-Z]/.test(code) && others.every((codes) => codes.includes(code)))
  return new Set([...[...counts].filter(isCommon).map(([code]) => code), ...ofBodies])
}

const errorsOf = ({ of, path }: Operation): string[] => {
  const isNetwork = path.startsWith(networkDialect.prefix)
  const codes = responsesOf(of)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, response]) => {
      const declared = [...getString(response, 'description').matchAll(/`([\w-]+)`/g)].map(([, code = '']) => code)
      return isNetwork ? networkCodes(Number(status), declared) : declared
    })
  return [...new Set(codes)]
}

/** Errors that not every operation of the network has. */
const OF_RESOURCES: readonly number[] = [404, 409, 410]

/** The codes in answers of the network, which distinguishes errors by their status. */
function networkCodes(status: number, declared: readonly string[]): string[] {
  const isOwn = OF_RESOURCES.includes(status) && declared.some((code) => !code.startsWith('idempotency-'))
  return isOwn ? [CODES_BY_STATUS[status] ?? ''] : []
}

const responsesOf = (of: JsonObject): [string, JsonObject][] =>
  Object.entries(getObject(of, 'responses')).map(([status, response]) => [status, isObject(response) ? response : {}])

function operationSection(operation: Operation, document: JsonObject, shared: ReadonlySet<string>): string {
  const { method, path, of } = operation
  const parameters = getObjects(of, 'parameters')
    .filter(isObject)
    .map((each) => resolved(each, document))
  const body = getObject(of, 'requestBody')
  const errors = errorsOf(operation).filter((code) => !shared.has(code))
  const answers = responsesOf(of).filter(([status]) => /^[123]/.test(status) && status !== '304')
  return [
    `### ${getString(of, 'summary')}`,
    `\`${method} ${path.replace('/v0/city/{cityName}', '~')}\``,
    line(getString(of, 'description')),
    [
      `- Name: \`${getString(of, 'operationId')}\``,
      permissionItem(of, method, path),
      ...parameters.filter(isShown).map(parameterItem),
      ...(Object.keys(body).length > 0 ? bodyItems(body, document) : []),
      ...answers.map(([status, response]) => `- Response ${status}: ${shapesOf(response) || 'no body'}`),
      ...(errors.length > 0 ? [`- Errors: ${errors.map((code) => `\`${code}\``).join(', ')}`] : []),
    ].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Parameters that the page on the API explains once. */
const isShown = (parameter: JsonObject): boolean =>
  parameter.name !== 'cityName' && !['Idempotency-Key', 'X-GC-Request'].includes(getString(parameter, 'name'))

const resolved = (schema: JsonObject, document: JsonObject): JsonObject => {
  const ref = getString(schema, '$ref')
  if (ref === '') return schema
  return ref
    .slice(2)
    .split('/')
    .reduce<JsonObject>((from, key) => getObject(from, key), document)
}

/** Who may call an operation: what a session's agent needs, or the credential that the network asks for. */
function permissionItem(of: JsonObject, method: string, path: string): string {
  if (path.startsWith(networkDialect.prefix)) return `- Access: ${accessOf(of, path)}`
  if (Array.isArray(of.security) && of.security.length === 0) return '- Permission: none'
  const needs = of['x-gc-needs'] ?? (method === 'GET' ? 'read' : 'operator')
  if (!isObject(needs)) return `- Permission: \`${needs}\``
  const { needs: name, ownable, grant, fields } = needs
  const parts = [
    `\`${name}\``,
    ownable === undefined ? '' : `not for your own ${ownable}`,
    grant === undefined ? '' : `or the grant \`${grant}\``,
    ...Object.entries(isObject(fields) ? fields : {}).map(([field, need]) => `\`${need}\` with \`${field}\``),
  ]
  return `- Permission: ${parts.filter((part) => part !== '').join(', ')}`
}

function accessOf({ security }: JsonObject, path: string): string {
  if (path.startsWith(`${networkDialect.prefix}/operator`)) return 'the token of the operator'
  if (!Array.isArray(security)) return 'an API key'
  return security.length === 0 ? 'anyone' : 'anyone where reading is public, else an API key'
}

const parameterItem = (parameter: JsonObject): string =>
  item(
    `${getString(parameter, 'in').replace(/^./, (letter) => letter.toUpperCase())} \`${getString(parameter, 'name')}\``,
    getObject(parameter, 'schema'),
    parameter.required === true,
    getString(parameter, 'description'),
  )

/** The body: its shape and the fields at its top. */
function bodyItems(body: JsonObject, document: JsonObject): string[] {
  const shape = shapesOf(body)
  const [media] = Object.values(getObject(body, 'content'))
  const schema = resolved(getObject(isObject(media) ? media : {}, 'schema'), document)
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const fields = Object.entries(getObject(schema, 'properties')).map(([name, value]) => {
    const of = isObject(value) ? value : {}
    return `  ${item(`\`${name}\``, of, required.has(name), getString(of, 'description'))}`
  })
  return [`- Body${body.required === true ? '*' : ''}: ${shape}`, ...fields]
}

const item = (name: string, schema: JsonObject, isRequired: boolean, description: string): string =>
  `- ${name}${isRequired ? '*' : ''}, ${typeName(schema)}${description === '' ? '' : `: ${line(description)}`}`

const shapesOf = (of: JsonObject): string =>
  Object.entries(getObject(of, 'content'))
    .map(([media, value]) => {
      const type = typeName(getObject(isObject(value) ? value : {}, 'schema'))
      return media === 'application/json' ? type : media === 'text/event-stream' ? 'server-sent events' : `\`${media}\``
    })
    .join(' or ')

function typeName(schema: JsonObject): string {
  const name = getString(schema, '$ref').split('/').at(-1)
  if (name) return `\`${name}\``
  const some = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => getObjects(schema, key)).filter(isObject)
  if (some.length > 0) return some.map(typeName).join(' or ')
  if (Array.isArray(schema.enum)) return `\`${schema.enum.join(' | ')}\``
  if ('const' in schema) return `\`${schema.const}\``
  if (schema.type === 'array') return `list of ${typeName(getObject(schema, 'items'))}`
  if (isObject(schema.additionalProperties)) return `map of ${typeName(schema.additionalProperties)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : getString(schema, 'type') || 'any value'
  return type + bounds(schema)
}

function bounds({ minimum, maximum, default: usual }: JsonObject): string {
  const limits = [
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    usual === undefined ? '' : `default ${usual}`,
  ].filter((part) => part !== '')
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`
}

/** Text on one line that is not markup. */
const line = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[<>*_[\]](?![^`]*`)/g, '\\$&')
    .trim()
