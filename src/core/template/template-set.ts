import { BUILTINS } from './builtins.ts'
import { TemplateError } from './error.ts'
import type { TemplateFunctions } from './function.ts'
import { Interpreter } from './interpreter.ts'
import { FULL_LIMITS, Meter, type TemplateLimits } from './limits.ts'
import { unquote } from './literal.ts'
import { type BranchNode, isEmptyBody, type Node } from './node.ts'
import { PipelineParser } from './pipeline-parser.ts'
import { KEYWORDS, type Token, type TokenKind } from './token.ts'
import type { Value } from './value.ts'

export interface RenderOptions {
  readonly limits?: TemplateLimits
  /** Value of a field that the data lack; default `empty`. */
  readonly missing?: 'empty' | 'error'
}

/** Functions of the caller; `render` writes another template of the set, for functions that choose one. */
export type MakeFunctions = (set: {
  has(name: string): boolean
  render(name: string, data: Value): string
}) => TemplateFunctions

/** Templates that can call each other by name, in the language of Go's text/template. */
export class TemplateSet {
  readonly #bodies = new Map<string, readonly Node[]>()
  readonly #names: ReadonlySet<string>

  /** `functionNames` are the functions that templates may call beside the builtins. */
  constructor(functionNames: Iterable<string> = []) {
    this.#names = new Set([...BUILTINS.keys(), ...functionNames])
  }

  get names(): string[] {
    return [...this.#bodies.keys()]
  }

  has(name: string): boolean {
    return this.#bodies.has(name)
  }

  /** Parses a template and adds it under its name, and what it defines under theirs; the later one of a name wins. */
  add(name: string, source: string): void {
    const { body, definitions } = this.#parse(source)
    for (const [defined, nodes] of [...definitions, [name, body] as const]) {
      if (this.#bodies.has(defined) && isEmptyBody(nodes)) continue
      this.#bodies.set(defined, nodes)
    }
  }

  /** Adds only what a file defines. */
  addDefinitions(source: string): void {
    for (const [name, body] of this.#parse(source).definitions) {
      if (!this.#bodies.has(name) || !isEmptyBody(body)) this.#bodies.set(name, body)
    }
  }

  /** The same templates, to which others can be added. */
  copy(): TemplateSet {
    const copy = new TemplateSet(this.#names)
    for (const [name, body] of this.#bodies) copy.#bodies.set(name, body)
    return copy
  }

  /** Renders one template; throws a TemplateError when it cannot. */
  render(name: string, data: Value, makeFunctions?: MakeFunctions, options: RenderOptions = {}): string {
    const meter = new Meter(options.limits ?? FULL_LIMITS)
    const template = (called: string) => this.#bodies.get(called)
    const run = (called: string, value: Value): string => {
      const output: string[] = []
      new Interpreter(interpreting, value, output).run(template(called) ?? [], value)
      return output.join('')
    }
    const own = makeFunctions?.({
      has: (called) => this.has(called),
      render: (called, value) => meter.nested(0, () => run(called, value)),
    })
    const functions = new Map([...BUILTINS, ...(own ?? [])])
    const interpreting = { functions, meter, missing: options.missing ?? 'empty', template }
    return run(name, data)
  }

  #parse(source: string): ParsedTemplate {
    return parseTemplate(source, this.#names)
  }
}

/** A parsed template, and the templates that it defines by name. */
interface ParsedTemplate {
  readonly body: readonly Node[]
  readonly definitions: ReadonlyMap<string, readonly Node[]>
}

const MAX_NESTING = 1000

/** Parses a template; throws a TemplateError for what cannot be read. */
const parseTemplate = (source: string, functions: ReadonlySet<string>): ParsedTemplate =>
  new TemplateParser(tokenize(source), functions).parse()

/** End of a list of nodes. */
interface BodyEnd {
  readonly word: 'end' | 'else' | 'end-of-file'
  readonly line: number
}

class TemplateParser {
  readonly #pipelines: PipelineParser
  readonly #definitions = new Map<string, readonly Node[]>()
  #rangeDepth = 0
  #nesting = 0

  constructor(tokens: readonly Token[], functions: ReadonlySet<string>) {
    this.#pipelines = new PipelineParser(tokens, functions)
  }

  parse(): ParsedTemplate {
    const { body, end } = this.#body(true)
    if (end.word !== 'end-of-file') throw syntaxError(`this {{${end.word}}} belongs to nothing`, end.line)
    return { body, definitions: this.#definitions }
  }

  #body(isTop = false): { body: Node[]; end: BodyEnd } {
    const body: Node[] = []
    for (;;) {
      const token = this.#pipelines.next()
      if (token.kind === 'end-of-file') {
        if (isTop) return { body, end: { word: 'end-of-file', line: token.line } }
        throw syntaxError('an {{end}} is missing', token.line)
      }
      if (token.kind === 'text') {
        body.push({ kind: 'text', text: token.text, line: token.line })
        continue
      }
      const node = this.#action(isTop)
      if (node === undefined) continue
      if ('word' in node) return { body, end: node }
      body.push(node)
    }
  }

  /** One action; undefined for a definition. */
  #action(isTop: boolean): Node | BodyEnd | undefined {
    const token = this.#pipelines.peek()
    const { line } = token
    if (token.kind !== 'keyword') return { kind: 'action', pipe: this.#pipelines.parse('command'), line }
    this.#pipelines.next()
    const word = token.text
    if (word === 'define') return this.#define(isTop, line)
    if (word === 'block') return this.#block(line)
    if (word === 'template') return this.#template(line)
    if (word === 'if' || word === 'with' || word === 'range') return this.#branch(word, line)
    if (word === 'break' || word === 'continue') return this.#leave(word, line)
    if (word === 'end') {
      this.#pipelines.close('{{end}}')
      return { word, line }
    }
    const next = this.#pipelines.peek()
    const isChained = next.kind === 'keyword' && (next.text === 'if' || next.text === 'with')
    if (!isChained) this.#pipelines.close('{{else}}')
    return { word: 'else', line }
  }

  #define(isTop: boolean, line: number): undefined {
    if (!isTop) throw syntaxError('a {{define}} stands at the top of its file', line)
    const name = this.#name('define')
    this.#pipelines.close('{{define}}')
    this.#add(name, this.#separateBody(), line)
  }

  #block(line: number): Node {
    const name = this.#name('block')
    const pipe = this.#pipelines.parse('block')
    this.#add(name, this.#separateBody(), line)
    return { kind: 'template', name, pipe, line }
  }

  /** A body that sees no variables of what stands around it. */
  #separateBody(): Node[] {
    const depth = this.#rangeDepth
    this.#rangeDepth = 0
    const outer = this.#pipelines.enterScope()
    const { body, end } = this.#nested(() => this.#body())
    if (end.word !== 'end') throw syntaxError(`this {{${end.word}}} belongs to nothing`, end.line)
    this.#pipelines.leaveScope(outer)
    this.#rangeDepth = depth
    return body
  }

  #add(name: string, body: readonly Node[], line: number): void {
    const other = this.#definitions.get(name)
    if (other === undefined || isEmptyBody(other)) this.#definitions.set(name, body)
    else if (!isEmptyBody(body)) throw syntaxError(`"${name}" is defined twice in this file`, line)
  }

  #template(line: number): Node {
    const name = this.#name('template')
    if (this.#pipelines.peek().kind !== 'close') {
      return { kind: 'template', name, pipe: this.#pipelines.parse('template'), line }
    }
    this.#pipelines.next()
    return { kind: 'template', name, pipe: undefined, line }
  }

  #name(word: string): string {
    const token = this.#pipelines.next()
    const name = token.kind === 'string' ? unquote(token.text) : undefined
    if (name === undefined) throw syntaxError(`{{${word}}} needs a name in quotes`, token.line)
    return name
  }

  #leave(kind: 'break' | 'continue', line: number): Node {
    this.#pipelines.close(`{{${kind}}}`)
    if (this.#rangeDepth === 0) throw syntaxError(`{{${kind}}} stands outside of {{range}}`, line)
    return { kind, line }
  }

  #branch(kind: BranchNode['kind'], line: number): BranchNode {
    return this.#nested(() => {
      const mark = this.#pipelines.variableCount
      const pipe = this.#pipelines.parse(kind)
      if (kind === 'range') this.#rangeDepth++
      const { body, end } = this.#body()
      if (kind === 'range') this.#rangeDepth--
      const otherwise = end.word === 'else' ? this.#otherwise(kind) : undefined
      this.#pipelines.dropVariables(mark)
      return { kind, pipe, body, otherwise, line }
    })
  }

  #otherwise(kind: BranchNode['kind']): readonly Node[] {
    const next = this.#pipelines.peek()
    if (next.kind === 'keyword') {
      if (next.text !== kind) throw syntaxError(`{{else ${next.text}}} cannot follow {{${kind}}}`, next.line)
      this.#pipelines.next()
      return [this.#branch(kind, next.line)]
    }
    const { body, end } = this.#body()
    if (end.word !== 'end') throw syntaxError('a second {{else}} follows the first', end.line)
    return body
  }

  #nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > MAX_NESTING) throw syntaxError('too much is nested here', this.#pipelines.peek().line)
    const result = parse()
    this.#nesting--
    return result
  }
}

const syntaxError = (message: string, line: number) => new TemplateError(message, line, 'syntax')

const SPACE = /[ \t\r\n]+/y
const CLOSE = /(?:[ \t\r\n]+-)?\}\}/y
const COMMENT_CLOSE = /([ \t\r\n]-)?\}\}/y
const QUOTED = /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y
const CHAR = /'(?:[^'\\\n]|\\[^\n])*'/y
const WORD = /[\p{L}\p{Nd}_]+/uy
const FIELD = /\.[\p{L}\p{Nd}_]*/uy
const VARIABLE = /\$[\p{L}\p{Nd}_]*/uy
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y
/** Characters that may follow a name without a blank. */
const TERMINATOR = /^(?:$|[\s.,|:()]|\}\})/
const SYMBOLS: Readonly<Record<string, TokenKind>> = { '=': 'assign', '|': 'pipe', ',': 'comma', '(': '(', ')': ')' }

/** Cuts a template into its tokens. */
const tokenize = (source: string): Token[] => new Lexer(source).run()

class Lexer {
  readonly #tokens: Token[] = []
  #position = 0
  #line = 1
  #isSpaced = false

  constructor(private readonly source: string) {}

  run(): Token[] {
    while (this.#position < this.source.length) this.#text()
    this.#push('end-of-file', '')
    return this.#tokens
  }

  /** The text up to the next action, and that action. */
  #text(): void {
    const start = this.#position
    const open = this.source.indexOf('{{', start)
    const text = this.source.slice(start, open < 0 ? undefined : open)
    const isTrimmed = open >= 0 && /^-[ \t\r\n]/.test(this.source.slice(open + 2, open + 4))
    const shown = isTrimmed ? text.replace(/[ \t\r\n]+$/, '') : text
    if (shown !== '') this.#push('text', shown)
    this.#advance(start + text.length)
    if (open < 0) return
    const first = open + (isTrimmed ? 4 : 2)
    if (this.source.startsWith('/*', first)) {
      this.#comment(first)
      return
    }
    this.#advance(open + 2 + (isTrimmed ? 1 : 0))
    this.#action()
  }

  #comment(start: number): void {
    const end = this.source.indexOf('*/', start + 2)
    if (end < 0) throw this.#error('this comment is not closed')
    this.#advance(end + 2)
    const close = this.#match(COMMENT_CLOSE)
    if (close === undefined) throw this.#error('a comment fills its action')
    this.#close(close)
  }

  #action(): void {
    this.#push('open', '{{')
    let depth = 0
    for (;;) {
      const close = this.#match(CLOSE)
      if (close !== undefined) {
        if (depth > 0) throw this.#error('a parenthesis is not closed')
        this.#push('close', '}}')
        this.#close(close)
        return
      }
      if (this.#match(SPACE) !== undefined) {
        this.#isSpaced = true
        continue
      }
      const { kind } = this.#next()
      if (kind === '(') depth++
      if (kind === ')' && --depth < 0) throw this.#error('this parenthesis closes nothing')
    }
  }

  #close(close: string): void {
    if (close.includes('-')) this.#match(SPACE)
  }

  #next(): Token {
    const { source } = this
    const start = this.#position
    const char = source[start] ?? ''
    if (char === '') throw this.#error('this action is not closed')
    if (source.startsWith(':=', start)) return this.#take('declare', 2)
    const symbol = SYMBOLS[char]
    if (symbol !== undefined) return this.#take(symbol, 1)
    if (char === '"' || char === '`') return this.#literal('string', QUOTED, 'this string is not closed')
    if (char === "'") return this.#literal('char', CHAR, 'this character is not closed')
    if (char === '$') return this.#name('variable', VARIABLE)
    if (char === '.' && !/[0-9]/.test(source[start + 1] ?? '')) return this.#name('field', FIELD)
    if (/[+\-.0-9]/.test(char)) return this.#number()
    return this.#word()
  }

  #number(): Token {
    const token = this.#literal('number', NUMBER, 'this is not a number')
    if (/^[\p{L}\p{Nd}_]/u.test(this.source.slice(this.#position, this.#position + 2))) {
      throw this.#error(`"${token.text}" and what follows is not a number`)
    }
    return token
  }

  #word(): Token {
    const token = this.#name('identifier', WORD)
    const kind = wordKind(token.text)
    const named = { ...token, kind }
    this.#tokens[this.#tokens.length - 1] = named
    return named
  }

  #name(kind: TokenKind, pattern: RegExp): Token {
    const token = this.#literal(kind, pattern, `"${this.source[this.#position]}" has no meaning here`)
    const next = this.source.slice(this.#position, this.#position + 2)
    if (!TERMINATOR.test(next)) throw this.#error(`"${next[0]}" may not follow ${token.text}`)
    if (kind !== 'field' || token.text !== '.') return token
    const dot = { ...token, kind: 'dot' } as const
    this.#tokens[this.#tokens.length - 1] = dot
    return dot
  }

  #literal(kind: TokenKind, pattern: RegExp, problem: string): Token {
    pattern.lastIndex = this.#position
    const [text] = pattern.exec(this.source) ?? []
    if (!text) throw this.#error(problem)
    return this.#take(kind, text.length)
  }

  #take(kind: TokenKind, length: number): Token {
    const token = this.#push(kind, this.source.slice(this.#position, this.#position + length))
    this.#advance(this.#position + length)
    return token
  }

  #push(kind: TokenKind, text: string): Token {
    const token = { kind, text, line: this.#line, isSpaced: this.#isSpaced }
    this.#isSpaced = false
    this.#tokens.push(token)
    return token
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position
    const [text] = pattern.exec(this.source) ?? []
    if (text !== undefined) this.#advance(this.#position + text.length)
    return text
  }

  #advance(position: number): void {
    for (let at = this.source.indexOf('\n', this.#position); at >= 0 && at < position; ) {
      this.#line++
      at = this.source.indexOf('\n', at + 1)
    }
    this.#position = position
  }

  #error(message: string): TemplateError {
    return new TemplateError(message, this.#line, 'syntax')
  }
}

function wordKind(word: string): TokenKind {
  if (KEYWORDS.has(word)) return 'keyword'
  if (word === 'nil') return 'nil'
  return word === 'true' || word === 'false' ? 'bool' : 'identifier'
}
