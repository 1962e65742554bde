import type { JsonObject } from './components.ts'
import { html, type Markup, prose } from './html.ts'
import { getObject, getObjects, getString, isObject } from './json-object.ts'

/** The type of a schema in a few words; named shapes lead to their place on the page. */
export function typeName(schema: JsonObject): Markup {
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
export function shapeTable(schema: JsonObject): Markup {
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
