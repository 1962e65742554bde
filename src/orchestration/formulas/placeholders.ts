/** A `{{variable}}`, without blanks. */
export const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}/
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')
/** A `{name}` or `{name.part}` that is not one of two braces. */
const SINGLE = /\{\{[^{}]*\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)\}/g

/** Replaces `{{variables}}` that have a value, once: what stands in a value stays as it is. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  if (!text.includes('{{')) return text
  return text.replace(PLACEHOLDERS, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? written) : written,
  )
}

/** The `{{variables}}` that a text still holds. */
export const openVariables = (text: string): string[] =>
  text.includes('{{') ? [...new Set([...text.matchAll(PLACEHOLDERS)].map(([, name = '']) => name))] : []

/** Replaces the `{names}` of loops, templates and fan-outs that have a value, once. */
export function fillNames(text: string, replacement: (name: string) => string | undefined): string {
  if (!text.includes('{')) return text
  return text.replace(SINGLE, (written, name: string | undefined) =>
    name === undefined ? written : (replacement(name) ?? written),
  )
}
