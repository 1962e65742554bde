import { Type } from '@sinclair/typebox'
import { badRequest } from './errors.ts'

/** All fields of the items of a list, instead of the compact form. */
const ALL = 'all'

/** The query parameter with which a reader chooses the fields of the items of a list. */
export const fieldsParameter = Type.Optional(
  Type.String({
    description:
      'The fields that each item has, with commas between them, or `all`; `id` is always there. Without it items have the fields that most readers need.',
  }),
)

/** Parses the parameter: which fields an item has; undefined for the compact form. */
export function parseFields(text: string | undefined, names: readonly string[]): ReadonlySet<string> | undefined {
  const chosen = (text ?? '').split(',').flatMap((name) => name.trim() || [])
  if (chosen.length === 0) return undefined
  if (chosen.includes(ALL)) return new Set(names)
  const unknown = chosen.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw badRequest(`There is no field "${unknown.slice(0, 50)}"`, `The fields are: ${names.join(', ')}; or all.`)
  }
  return new Set(['id', ...chosen])
}

/** The chosen fields of an item. */
export const pickFields = (item: object, fields: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => fields.has(name)))
