/** A `{{variable}}`; blanks inside the braces are allowed. */
export const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')
/** A `{{variable}}`, any other text in two braces, or a `{name}` or `{name.part}`. */
const EITHER =
  /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}|\{\{[^{}]*\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)\}/g

/** Replaces `{{variables}}` that have a value, once: what is in a value stays unchanged. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  if (!text.includes('{{')) return text
  return text.replace(PLACEHOLDERS, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? written) : written,
  )
}

/** The `{{variables}}` that a text still holds. */
export const openVariables = (text: string): string[] =>
  text.includes('{{') ? [...new Set([...text.matchAll(PLACEHOLDERS)].map(([, name = '']) => name))] : []

/**
 * Replaces the `{names}` of loops, templates and fan-outs that have a value, and the `{{variables}}` of the given ones:
 * in one pass, so that what is in a value stays unchanged.
 */
export function fillNames(
  text: string,
  replacement: (name: string) => string | undefined,
  variables: Readonly<Record<string, string>> = {},
): string {
  if (!text.includes('{')) return text
  return text.replace(EITHER, (written, variable: string | undefined, name: string | undefined) => {
    if (variable !== undefined) return Object.hasOwn(variables, variable) ? (variables[variable] ?? written) : written
    return name === undefined ? written : (replacement(name) ?? written)
  })
}
