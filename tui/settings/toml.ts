import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'

/** A setting of a TOML file: its name with those of its tables, its value, and where it stands. */
export interface Entry {
  readonly name: string
  readonly value: unknown
  readonly line: number
  readonly column: number
}

/** Something wrong, and where. */
export interface Problem {
  readonly line: number
  readonly column: number
  readonly text: string
}

/** The settings of a text, in its order; a text that is not TOML has none, and says where it goes wrong. */
export function readEntries(text: string): { entries: readonly Entry[]; problems: readonly Problem[] } {
  try {
    const [top] = parseTOML(text.replace(/^\uFEFF/, ''), { tomlVersion: '1.1' }).body
    return { entries: top.body.flatMap((node) => entriesOf(node, '')), problems: [] }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { entries: [], problems: [{ line: error.lineNumber, column: error.column + 1, text: error.message }] }
  }
}

function entriesOf(node: AST.TOMLKeyValue | AST.TOMLTable, table: string): Entry[] {
  const name = [table, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))]
    .filter(Boolean)
    .join('.')
  if (node.type === 'TOMLTable') return node.body.flatMap((each) => entriesOf(each, name))
  if (node.value.type === 'TOMLInlineTable') return node.value.body.flatMap((each) => entriesOf(each, name))
  const { line, column } = node.loc.start
  return [{ name, value: getStaticTOMLValue(node.value), line, column: column + 1 }]
}
