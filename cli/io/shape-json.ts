import { isRecord } from '../../src/client/json.ts'
import { sanitizeLines, showHidden } from '../../src/client/text.ts'
import type { Io } from './io.ts'

/** Shape of a command's JSON after `--json=<fields>` and `--format`. */
export interface JsonShape {
  fields?: readonly string[]
  /** Renders one item. */
  render?(item: Readonly<Record<string, unknown>>): string
}

/** The keys under which answers hold a list; what has none of them is one item. */
const LISTS = ['items', 'sessions', 'runs', 'steps', 'orders', 'services', 'entries', 'formulas', 'waits', 'convoys']

/** The JSON of a command as text: all of it, the chosen fields of each item, or each item by a template. */
export function shapeJson(io: Pick<Io, 'err'>, value: unknown, { fields, render }: JsonShape): string {
  if (render)
    return itemsOf(value)
      .map((item) => withNewline(sanitizeLines(render(item))))
      .join('')
  const chosen = fields ? choose(io, value, fields) : value
  return `${showHidden(JSON.stringify(chosen))}\n`
}

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

/** The list in a value; undefined when the value is one item. */
function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return undefined
  return LISTS.map((key) => value[key]).find((each) => Array.isArray(each))
}

const itemsOf = (value: unknown): Record<string, unknown>[] => (listIn(value) ?? [value]).filter(isRecord)

function choose(io: Pick<Io, 'err'>, value: unknown, fields: readonly string[]): unknown {
  const items = itemsOf(value)
  const known = new Set(items.flatMap(Object.keys))
  for (const field of items.length === 0 ? [] : fields) {
    if (!known.has(field)) io.err(`gc: nothing here has the field ${field}; there are ${[...known].join(', ')}\n`)
  }
  const picked = items.map((item) => Object.fromEntries(fields.map((field) => [field, item[field] ?? null])))
  return listIn(value) ? picked : picked[0]
}
