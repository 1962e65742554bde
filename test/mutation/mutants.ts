import { type Node, parseSync, Visitor } from 'oxc-parser'

/** One small change of a source file. */
export interface Mutant {
  /** Names the mutant whatever its line number: the file, the text of its line, and the change. */
  readonly key: string
  readonly line: number
  /** Number of lines that it changes. */
  readonly lines: number
  readonly start: number
  readonly end: number
  readonly text: string
}

const SWAPPED = new Map([
  ...pairs('===', '!=='),
  ...pairs('&&', '||'),
  ...pairs('+', '-'),
  ...pairs('*', '/'),
  ...pairs('&', '|'),
  ...pairs('<<', '>>'),
  ...pairs('<', '<='),
  ...pairs('>', '>='),
])

const SWAPPED_METHODS = new Map([
  ...pairs('some', 'every'),
  ...pairs('min', 'max'),
  ...pairs('floor', 'ceil'),
  ...pairs('startsWith', 'endsWith'),
  ...pairs('indexOf', 'lastIndexOf'),
])

/** Conditions and orders of SQL, with what each becomes. */
const SWAPPED_SQL: readonly (readonly [RegExp, string])[] = [
  [/ AND /g, ' OR '],
  [/ IS NULL/g, ' IS NOT NULL'],
  [/ IS NOT NULL/g, ' IS NULL'],
  [/ DESC\b/g, ' ASC'],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
]

const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE)\b/

interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The mutants of a source file, in the order of their places. Types, texts and numbers that tune something have none. */
export function mutantsOf(path: string, source: string): Mutant[] {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const changes = changesOf(program, source).sort((a, b) => a.start - b.start || a.end - b.end)
  const seen = new Map<string, number>()
  return changes.map(({ start, end, text }) => {
    const line = source.slice(source.lastIndexOf('\n', start) + 1).split('\n', 1)[0] ?? ''
    const name = `${path} | ${line.trim()} | ${short(source.slice(start, end))} → ${short(text)}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    const key = count === 1 ? name : `${name} | ${count}`
    const lines = source.slice(start, end).split('\n').length
    return { key, line: source.slice(0, start).split('\n').length, lines, start, end, text }
  })
}

/** The source with one mutant in it. */
export const mutated = (source: string, { start, end, text }: Mutant): string =>
  source.slice(0, start) + text + source.slice(end)

/** A change in one line, without the middle of a long one. */
function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim()
  if (line.length <= 60) return line || 'nothing'
  return `${line.slice(0, 40)}…${line.slice(-15)}`
}

function changesOf(program: Parameters<Visitor['visit']>[0], source: string): Change[] {
  const changes: Change[] = []
  const code = ({ start, end }: Place) => source.slice(start, end)
  const replace = ({ start, end }: Place, text: string) => changes.push({ start, end, text })
  const operator = (left: Place, right: Place, from: string, to: string) => {
    const at = source.indexOf(from, left.end)
    if (at >= 0 && at < right.start) replace({ start: at, end: at + from.length }, to)
  }
  const condition = (test: Node) => {
    if (test.type === 'Literal') return
    replace(test, 'true')
    replace(test, 'false')
  }
  const swap = ({ left, right, operator: from }: Binary) => {
    const to = SWAPPED.get(from)
    if (to && !(from === '+' && (isText(left) || isText(right)))) operator(left, right, from, to)
    if (from === '??') replace({ start: left.end, end: right.end }, '')
  }
  const sql = (place: Place) => {
    if (!SQL.test(code(place))) return
    for (const [from, to] of SWAPPED_SQL)
      for (const found of code(place).matchAll(from)) {
        const start = place.start + found.index
        replace({ start, end: start + found[0].length }, to)
      }
  }
  const types = new Set<Node>()
  new Visitor({
    TSLiteralType: ({ literal }) => void types.add(literal),
    BinaryExpression: swap,
    LogicalExpression: swap,
    IfStatement: ({ test }) => condition(test),
    WhileStatement: ({ test }) => replace(test, 'false'),
    ConditionalExpression: ({ test }) => condition(test),
    UnaryExpression: ({ operator: sign, argument, ...place }) => sign === '!' && replace(place, code(argument)),
    ReturnStatement: ({ argument, ...place }) => void (argument === null && replace(place, '')),
    ThrowStatement: (node) => void replace(node, ''),
    ExpressionStatement: (node) => void replace(node, ''),
    UpdateExpression: ({ operator: sign, argument, ...place }) =>
      void replace(place, sign === '++' ? `${code(argument)}--` : `${code(argument)}++`),
    Literal: (node) => {
      if (types.has(node)) return
      if (typeof node.value === 'boolean') replace(node, String(!node.value))
      if (node.value === 0 || node.value === 1) replace(node, String(1 - node.value))
      if (typeof node.value === 'string') sql(node)
    },
    TemplateElement: sql,
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.computed) return
      const to = callee.property.type === 'Identifier' ? SWAPPED_METHODS.get(callee.property.name) : undefined
      if (to) replace(callee.property, to)
    },
  }).visit(program)
  return changes
}

function pairs(a: string, b: string): [string, string][] {
  return [
    [a, b],
    [b, a],
  ]
}

interface Place {
  readonly start: number
  readonly end: number
}

interface Binary {
  readonly left: Node
  readonly right: Node
  readonly operator: string
}

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
