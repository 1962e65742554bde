import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type TomlNode, TomlSyntaxError, type TomlTable } from '../../config/toml/parse.ts'

/** A formula written as JSON, as the table that the same formula is as TOML; throws {@link TomlSyntaxError}. */
export function jsonTable(text: string): TomlTable {
  const errors: ParseError[] = []
  const lines = lineStarts(text)
  const root = parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  if (error) throw new TomlSyntaxError(lineAt(lines, error.offset), `no JSON: ${printParseErrorCode(error.error)}`)
  const node = root && toNode(root, lines)
  if (node?.kind === 'table') return node
  throw new TomlSyntaxError(1, 'no JSON object')
}

function toNode(node: Node, lines: readonly number[]): TomlNode | undefined {
  const position = { line: lineAt(lines, node.offset), offset: node.offset }
  const value: unknown = node.value
  if (node.type === 'array') {
    return { kind: 'array', ...position, items: (node.children ?? []).flatMap((item) => toNode(item, lines) ?? []) }
  }
  if (node.type === 'object') {
    const entries = (node.children ?? []).flatMap(({ children: [key, member] = [] }): [string, TomlNode][] => {
      const content = member && toNode(member, lines)
      return key && content ? [[String(key.value), content]] : []
    })
    return { kind: 'table', ...position, entries: new Map(entries) }
  }
  if (typeof value === 'string') return { kind: 'string', ...position, value }
  if (typeof value === 'boolean') return { kind: 'boolean', ...position, value }
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? 'integer' : 'float', ...position, value }
  return undefined
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) starts.push(feed + 1)
  return starts
}

/** The line of an offset, by halves. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}
