import { isObject } from '../core/json.ts'
import { byKey } from '../core/text/index.ts'
import type { JsonObject } from './components.ts'
import { docsShell } from './docs-shell.ts'
import { html, type Markup, prose } from './html.ts'
import { getObject, getObjects, getString } from './respond/index.ts'

interface Operation {
  verb: string
  path: string
  tag: string
  definition: JsonObject
}

/** The reference of a plane as one page: no script, nothing from elsewhere, every word of the document escaped. */
export function docsPage(document: JsonObject, prefix = ''): string {
  const info = getObject(document, 'info')
  const operations = operationsOf(document)
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)].sort(byKey)
  const schemas = Object.entries(getObject(getObject(document, 'components'), 'schemas'))
  return docsShell({
    title: `${getString(info, 'title')}: reference`,
    nav: html`<a href="#top">${getString(info, 'title')}</a>
${byTag.map(([tag, these]) => html`<b>${tag}</b>${these.map(link)}`)}
<b>shapes</b>${schemas.map(([name]) => html`<a href="#shape-${name}">${name}</a>`)}`,
    main: html`<h1>${getString(info, 'title')}</h1>
<p class="lead">${prose(getString(info, 'description'))}</p>
<p class="lead">Version ${getString(info, 'version')}. For programs: <a href="${prefix}/openapi.json">openapi.json</a>.</p>
${byTag.map(([tag, these]) => html`<section><h2>${tag}</h2>${these.map(operationSection)}</section>`)}
<section><h2>shapes</h2>${schemas.map(([name, schema]) => shape(name, schema))}</section>`,
  })
}

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(getObject(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).map(([verb, value]) => {
      const definition = value as JsonObject
      return { verb: verb.toUpperCase(), path, tag: String(getObjects(definition, 'tags')[0]), definition }
    }),
  )
}

const link = ({ definition: of }: Operation): Markup =>
  html`<a href="#${getString(of, 'operationId')}" title="${getString(of, 'summary')}">${getString(of, 'summary')}</a>`

const operationSection = ({
  verb,
  path,
  definition: of,
}: Operation): Markup => html`<article id="${getString(of, 'operationId')}">
<h3>${getString(of, 'summary')} ${of['x-gc-extension'] === true && html`<span class="ours">extension</span>`}</h3>
<div class="line"><span class="verb ${verb}">${verb}</span><code>${path}</code></div>
${of.description ? html`<p>${prose(getString(of, 'description'))}</p>` : ''}
${parameters(getObjects(of, 'parameters'))}
${of.requestBody ? html`<h4>Body</h4>${content(getObject(of, 'requestBody'))}` : ''}
<h4>Responses</h4>
${responseList(Object.entries(getObject(of, 'responses')))}
</article>`

const parameters = (all: readonly JsonObject[]): Markup | string =>
  all.length === 0
    ? ''
    : html`<h4>Parameters</h4><table>${all.map(
        (
          one,
        ) => html`<tr><td><code>${getString(one, 'name')}</code>${one.required === true && html` <span class="must" title="required">*</span>`}</td>
<td>${getString(one, 'in')}, ${typeName(getObject(one, 'schema'))}</td><td>${prose(getString(one, 'description'))}</td></tr>`,
      )}</table>`

/** Successes are shown, errors are collapsed. */
function responseList(responses: readonly [string, unknown][]): Markup {
  const table = (some: typeof responses) =>
    html`<table>${some.map(([status, response]) => responseRow(status, response as JsonObject))}</table>`
  const isError = ([status]: [string, unknown]) => /^[45]/.test(status)
  const errors = responses.filter(isError)
  const collapsed = html`<details><summary>Errors: ${errors.map(([status]) => status).join(', ')}</summary>${table(errors)}</details>`
  return html`${table(responses.filter((one) => !isError(one)))}${errors.length > 0 && collapsed}`
}

const responseRow = (status: string, response: JsonObject): Markup =>
  html`<tr><td><code>${status}</code></td><td>${content(response)}</td><td>${prose(getString(response, 'description'))}</td></tr>`

/** The shapes of a body, one for each media type. */
const content = (of: JsonObject): readonly Markup[] =>
  Object.entries(getObject(of, 'content')).map(([media, value]) => {
    const type = typeName(getObject(value as JsonObject, 'schema'))
    return media.endsWith('json') ? type : html`${type} <code>${media}</code>`
  })

const shape = (name: string, schema: unknown): Markup => html`<details id="shape-${name}">
<summary><code>${name}</code> ${prose(getString(schema as JsonObject, 'description'))}</summary>${shapeTable(schema as JsonObject)}</details>`

/** The type of a schema in a few words; named shapes lead to their place on the page. */
function typeName(schema: JsonObject): Markup {
  const name = getString(schema, '$ref').split('/').at(-1)
  if (name) return html`<a href="#shape-${name}"><code>${name}</code></a>`
  const some = alternatives(schema)
  if (some.length > 0) return html`${some.map((one, at) => html`${at > 0 && ' or '}${typeName(one)}`)}`
  if (Array.isArray(schema.enum)) return html`${schema.enum.map(String).join(' | ')}`
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  if (schema.type === 'array') return html`list of ${typeName(getObject(schema, 'items'))}`
  if (isObject(schema.additionalProperties)) return html`map of ${typeName(getObject(schema, 'additionalProperties'))}`
  return html`${typeWord(schema)}${bounds(schema)}`
}

const alternatives = (schema: JsonObject): readonly JsonObject[] => [
  ...getObjects(schema, 'anyOf'),
  ...getObjects(schema, 'oneOf'),
  ...getObjects(schema, 'allOf'),
]

const typeWord = ({ type }: JsonObject): string => {
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'anything'
}

/** The range of a value: `, 0 to 1000`, `, default 100`. */
function bounds({ minimum, maximum, default: usual }: JsonObject): string {
  const from = minimum === undefined ? '' : `${minimum}`
  const to = maximum === undefined ? '' : `${maximum}`
  const range = from && to ? `, ${from} to ${to}` : from ? `, at least ${from}` : to ? `, at most ${to}` : ''
  return usual === undefined ? range : `${range}, default ${usual}`
}

/** The properties of a shape, each with its type and what it is. */
function shapeTable(schema: JsonObject): Markup {
  const properties = Object.entries(getObject(schema, 'properties'))
  if (properties.length === 0) return html`<p>${typeName(schema)}</p>`
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return html`<table>${properties.map(([name, value]) => property(name, isObject(value) ? value : {}, required.has(name)))}</table>`
}

const property = (name: string, schema: JsonObject, required: boolean): Markup =>
  html`<tr><td><code>${name}</code>${required && html` <span class="must" title="always there">*</span>`}</td>
<td>${typeName(schema)}</td><td>${prose(getString(schema, 'description'))}${inner(schema)}</td></tr>`

/** Shapes without a name stand where they are used. */
function inner(schema: JsonObject): Markup | string {
  const object = schema.type === 'array' ? getObject(schema, 'items') : schema
  return isObject(object.properties) ? html`<details><summary>properties</summary>${shapeTable(object)}</details>` : ''
}
