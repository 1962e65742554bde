import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import { collectGarbage } from '../../core/collect-garbage.ts'
import { piecesOf, type TomlPiece } from './pieces.ts'

/** Position of a value: its line, and its offset without the byte order mark. */
interface TomlPosition {
  readonly line: number
  readonly offset: number
}

/** A value of a TOML file. */
export type TomlNode = TomlPosition &
  (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'integer' | 'float'; readonly value: number }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'date'; readonly value: string }
    | { readonly kind: 'array'; readonly items: TomlNode[] }
    | { readonly kind: 'table'; readonly entries: Map<string, TomlNode> }
  )

export type TomlTable = Extract<TomlNode, { kind: 'table' }>
type TomlArray = Extract<TomlNode, { kind: 'array' }>

export const BYTE_ORDER_MARK = '\uFEFF'

export class TomlSyntaxError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

const START: TomlPosition = { line: 1, offset: 0 }

/** A table without entries, at the start of a file by default. */
export const emptyTable = ({ line, offset }: TomlPosition = START): TomlTable => ({
  ...{ kind: 'table', line, offset },
  entries: new Map(),
})

/** Parses TOML without a byte order mark into its syntax tree; throws {@link TomlSyntaxError}. */
export function parseSyntax(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.1' })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    // What is never closed or never written is noticed on the line after.
    const after = error.column === 0 && error.lineNumber > 1 && /^(Unterminated|Unspecified)/.test(error.message)
    throw new TomlSyntaxError(error.lineNumber - (after ? 1 : 0), error.message)
  }
}

/** Parses TOML into its values by name; throws {@link TomlSyntaxError}. */
export function parseToml(text: string): TomlTable {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  return parseInPieces(body) ?? new TreeBuilder().add({ text: body, line: 0, offset: 0 }).root
}

/**
 * Parses a long text a piece at a time: the syntax tree of a megabyte takes 150. Undefined for a short text, and for one
 * with an error or whose pieces are not independent: the parser must see that whole.
 */
function parseInPieces(text: string): TomlTable | undefined {
  const pieces = piecesOf(text)
  if (pieces.length < 2) return undefined
  const builder = new TreeBuilder()
  try {
    for (const piece of pieces) {
      builder.add(piece)
      collectGarbage()
    }
    return builder.root
  } catch (error) {
    if (error instanceof TomlSyntaxError || error instanceof DependentPiece) return undefined
    throw error
  }
}

/** A piece adds to a table that an earlier one has begun. */
class DependentPiece extends Error {}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted): string => (key.type === 'TOMLBare' ? key.name : key.value)

/** Puts the syntax trees of the pieces of a text together to its values. */
class TreeBuilder {
  readonly root = emptyTable()
  /** The names at the top that are lists of `[[name]]`, to which later pieces may add. */
  readonly #lists = new Set<string>()
  #piece: TomlPiece = { text: '', line: 0, offset: 0 }

  add(piece: TomlPiece): this {
    this.#piece = piece
    const earlier = new Set(this.root.entries.keys())
    for (const node of parseSyntax(piece.text).body[0].body) {
      if (node.type === 'TOMLKeyValue') {
        this.#put(this.root, node)
        continue
      }
      this.#checkIndependent(node, earlier)
      this.#fill(this.#openTable(node), node.body)
    }
    return this
  }

  /** Throws when a header names a table of an earlier piece, but for another element of a list. */
  #checkIndependent({ kind, key }: AST.TOMLTable, earlier: Set<string>): void {
    const [first] = key.keys
    const name = first ? nameOf(first) : ''
    const isElement = kind === 'array' && key.keys.length === 1
    if (earlier.has(name) && !(isElement && this.#lists.has(name))) throw new DependentPiece()
    if (!isElement) return
    this.#lists.add(name)
    earlier.delete(name)
  }

  #positionOf({ loc, range }: AST.TOMLNode): TomlPosition {
    return { line: loc.start.line + this.#piece.line, offset: range[0] + this.#piece.offset }
  }

  #fill(table: TomlTable, body: AST.TOMLKeyValue[]): TomlTable {
    for (const pair of body) this.#put(table, pair)
    return table
  }

  #put(table: TomlTable, pair: AST.TOMLKeyValue): void {
    const keys = pair.key.keys.map(nameOf)
    const last = keys.pop() ?? ''
    const position = this.#positionOf(pair)
    const parent = keys.reduce((current, key) => enterTable(current, key, position), table)
    parent.entries.set(last, this.#toNode(pair.value))
  }

  /** The table that a `[header]` or `[[header]]` opens. */
  #openTable(node: AST.TOMLTable): TomlTable {
    const keys = node.key.keys.map(nameOf)
    const position = this.#positionOf(node)
    if (node.kind === 'standard') return keys.reduce((current, key) => enterTable(current, key, position), this.root)
    const last = keys.pop() ?? ''
    const parent = keys.reduce((current, key) => enterTable(current, key, position), this.root)
    const existing = parent.entries.get(last)
    const list: TomlArray = existing?.kind === 'array' ? existing : { kind: 'array', ...position, items: [] }
    parent.entries.set(last, list)
    const table = emptyTable(position)
    list.items.push(table)
    return table
  }

  #toNode(content: AST.TOMLContentNode): TomlNode {
    const position = this.#positionOf(content)
    if (content.type === 'TOMLArray') {
      return { kind: 'array', ...position, items: content.elements.map((item) => this.#toNode(item)) }
    }
    if (content.type === 'TOMLInlineTable') return this.#fill(emptyTable(position), content.body)
    switch (content.kind) {
      case 'string':
        return { kind: 'string', ...position, value: content.value }
      case 'integer':
      case 'float':
        return { kind: content.kind, ...position, value: content.value }
      case 'boolean':
        return { kind: 'boolean', ...position, value: content.value }
      default:
        return { kind: 'date', ...position, value: content.datetime }
    }
  }
}

/** The table under a name, created when it is missing; the last one of an array of tables. */
function enterTable(parent: TomlTable, key: string, position: TomlPosition): TomlTable {
  const existing = parent.entries.get(key)
  const last = existing?.kind === 'array' ? existing.items.at(-1) : existing
  if (last?.kind === 'table') return last
  const table = emptyTable(position)
  parent.entries.set(key, table)
  return table
}

/** The plain value of a node: strings, numbers, lists and objects. */
export function toPlainValue(node: TomlNode): unknown {
  if (node.kind === 'array') return node.items.map(toPlainValue)
  if (node.kind !== 'table') return node.value
  return Object.fromEntries([...node.entries].map(([key, value]) => [key, toPlainValue(value)]))
}
