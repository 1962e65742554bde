import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import type { Diagnostics } from '../diagnostics.ts'

/** A value of a TOML file and the line it stands on. */
export type TomlNode = { readonly line: number } & (
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'integer' | 'float'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'date'; readonly value: string }
  | { readonly kind: 'array'; readonly items: TomlNode[] }
  | { readonly kind: 'table'; readonly entries: Map<string, TomlNode> }
)

export type TomlTable = Extract<TomlNode, { kind: 'table' }>
type TomlArray = Extract<TomlNode, { kind: 'array' }>

/** What a text is when it is not TOML. */
export class NotToml extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

/** A table without entries. */
export const emptyTable = (line = 1): TomlTable => ({ kind: 'table', line, entries: new Map() })

/** Parses a text with the places of everything in it; throws {@link NotToml}. */
export function parseToml(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    // What is never ended is noticed on the line after.
    const after = error.column === 0 && error.lineNumber > 1 && error.message.startsWith('Unterminated')
    throw new NotToml(error.lineNumber - (after ? 1 : 0), error.message)
  }
}

/** The values of a text by name; throws {@link NotToml}. */
export function readToml(text: string): TomlTable {
  const root = emptyTable()
  for (const node of parseToml(text.replace(/^\uFEFF/, '')).body[0].body) {
    if (node.type === 'TOMLKeyValue') put(root, node)
    else fill(open(root, node), node.body)
  }
  return root
}

/** The values of a file that may not be there; a text that is not TOML is noted as a mistake. */
export function readSource({ mistakes }: Diagnostics, file: string, text: string | undefined): TomlTable {
  if (text === undefined) return emptyTable()
  try {
    return readToml(text)
  } catch (error) {
    if (!(error instanceof NotToml)) throw error
    mistakes.push({ file, line: error.line, key: '', message: `is not TOML: ${error.message}` })
    return emptyTable()
  }
}

const keyOf = (part: AST.TOMLBare | AST.TOMLQuoted): string => (part.type === 'TOMLBare' ? part.name : part.value)

function fill(table: TomlTable, body: AST.TOMLKeyValue[]): TomlTable {
  for (const pair of body) put(table, pair)
  return table
}

function put(table: TomlTable, pair: AST.TOMLKeyValue): void {
  const keys = pair.key.keys.map(keyOf)
  const last = keys.pop() ?? ''
  const line = pair.loc.start.line
  const home = keys.reduce((at, key) => step(at, key, line), table)
  home.entries.set(last, toNode(pair.value))
}

/** The table a `[header]` or `[[header]]` opens. */
function open(root: TomlTable, node: AST.TOMLTable): TomlTable {
  const keys = node.key.keys.map(keyOf)
  const line = node.loc.start.line
  if (node.kind === 'standard') return keys.reduce((at, key) => step(at, key, line), root)
  const last = keys.pop() ?? ''
  const home = keys.reduce((at, key) => step(at, key, line), root)
  const known = home.entries.get(last)
  const list: TomlArray = known?.kind === 'array' ? known : { kind: 'array', line, items: [] }
  home.entries.set(last, list)
  const table = emptyTable(line)
  list.items.push(table)
  return table
}

/** The table under a name, made when there is none; the newest one of an array of tables. */
function step(at: TomlTable, key: string, line: number): TomlTable {
  const known = at.entries.get(key)
  const next = known?.kind === 'array' ? known.items.at(-1) : known
  if (next?.kind === 'table') return next
  const made = emptyTable(line)
  at.entries.set(key, made)
  return made
}

function toNode(content: AST.TOMLContentNode): TomlNode {
  const line = content.loc.start.line
  if (content.type === 'TOMLArray') return { kind: 'array', line, items: content.elements.map(toNode) }
  if (content.type === 'TOMLInlineTable') return fill(emptyTable(line), content.body)
  switch (content.kind) {
    case 'string':
      return { kind: 'string', line, value: content.value }
    case 'integer':
    case 'float':
      return { kind: content.kind, line, value: content.value }
    case 'boolean':
      return { kind: 'boolean', line, value: content.value }
    default:
      return { kind: 'date', line, value: content.datetime }
  }
}

/** The plain value of a node: strings, numbers, lists and objects. */
export function plain(node: TomlNode): unknown {
  if (node.kind === 'array') return node.items.map(plain)
  if (node.kind === 'table') return Object.fromEntries([...node.entries].map(([key, value]) => [key, plain(value)]))
  return node.value
}
