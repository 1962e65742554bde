import { TemplateError } from './error.ts'
import { parseChar, parseNumber, unquote } from './literal.ts'
import type { Command, Operand, Pipeline } from './node.ts'
import type { Token } from './token.ts'

/** Context of a pipeline; only a range may set two variables. */
type Context = 'command' | 'if' | 'with' | 'range' | 'template' | 'block' | 'parentheses'

const MAX_NESTING = 1000
const OPERANDS = new Set([
  ...['identifier', 'field', 'variable', 'dot', 'nil', 'bool', 'number', 'char', 'string', '('],
])

/** Reads expressions from a list of tokens, and knows which variables are in scope. */
export class PipelineParser {
  #position = 0
  #variables = ['$']
  #nesting = 0

  constructor(
    private readonly tokens: readonly Token[],
    private readonly functions: ReadonlySet<string>,
  ) {}

  peek(ahead = 0): Token {
    const token = this.tokens[Math.min(this.#position + ahead, this.tokens.length - 1)]
    if (!token) throw new TypeError('a list of tokens is never empty')
    return token
  }

  next(): Token {
    const token = this.peek()
    this.#position++
    return token
  }

  close(what: string): void {
    const token = this.next()
    if (token.kind !== 'close') throw this.#error(`${what} takes no "${token.text}"`, token)
  }

  get variableCount(): number {
    return this.#variables.length
  }

  dropVariables(count: number): void {
    this.#variables.length = count
  }

  /** Forgets the variables in scope, until `leaveScope` brings them back. */
  enterScope(): string[] {
    const outer = this.#variables
    this.#variables = ['$']
    return outer
  }

  leaveScope(outer: string[]): void {
    this.#variables = outer
  }

  parse(context: Context): Pipeline {
    const { line } = this.peek()
    const { variables, isAssignment } = this.#declarations(context)
    const end = context === 'parentheses' ? ')' : 'close'
    const commands: Command[] = []
    while (this.peek().kind !== end) {
      if (!OPERANDS.has(this.peek().kind)) throw this.#error(`"${this.peek().text}" is not expected here`)
      commands.push(this.#command())
    }
    this.next()
    if (commands.length === 0) throw this.#error(`a value is missing in ${context}`)
    for (const { first } of commands.slice(1)) {
      if (first.kind !== 'constant' && first.kind !== 'dot' && first.kind !== 'nil') continue
      throw this.#error('a | must be followed by a function')
    }
    return { line, variables, isAssignment, commands }
  }

  #declarations(context: Context): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const variables: string[] = []
    while (this.peek().kind === 'variable') {
      const name = this.peek().text
      const { kind } = this.peek(1)
      if (kind !== 'declare' && kind !== 'assign' && kind !== 'comma') break
      this.#position += 2
      variables.push(name)
      this.#variables.push(name)
      if (kind !== 'comma') return { variables, isAssignment: kind === 'assign' }
      if (context !== 'range' || variables.length > 1) throw this.#error('only {{range}} sets two variables')
      if (this.peek().kind !== 'variable') throw this.#error('a variable has to follow the comma')
    }
    return { variables, isAssignment: false }
  }

  #command(): Command {
    const operands: Operand[] = []
    while (OPERANDS.has(this.peek().kind)) {
      operands.push(this.#operand())
      const { kind, isSpaced, text } = this.peek()
      if (kind === 'pipe') {
        this.next()
        if (!OPERANDS.has(this.peek().kind)) throw this.#error('a function is missing after |')
        break
      }
      if (kind !== 'close' && kind !== ')' && !isSpaced) throw this.#error(`"${text}" is not expected here`)
    }
    const [first, ...args] = operands
    if (!first) throw this.#error('a command is missing')
    return { first, args }
  }

  #operand(): Operand {
    const base = this.#term()
    const path: string[] = []
    while (this.peek().kind === 'field' && !this.peek().isSpaced) path.push(this.next().text.slice(1))
    if (path.length === 0) return base
    if (base.kind === 'field' || base.kind === 'variable') return { ...base, path: [...base.path, ...path] }
    if (base.kind === 'function' || base.kind === 'pipe') return { kind: 'chain', base, path }
    throw this.#error(`.${path[0]} cannot follow a value like this`)
  }

  #term(): Operand {
    const token = this.next()
    const { kind, text } = token
    if (kind === 'identifier') {
      if (!this.functions.has(text)) throw this.#error(`there is no function "${text}"`, token)
      return { kind: 'function', name: text }
    }
    if (kind === 'field') return { kind: 'field', path: [text.slice(1)] }
    if (kind === 'variable') {
      if (!this.#variables.includes(text)) throw this.#error(`there is no variable ${text}`, token)
      return { kind: 'variable', name: text, path: [] }
    }
    if (kind === 'dot' || kind === 'nil') return { kind }
    if (kind === '(') return this.#parentheses(token)
    return { kind: 'constant', value: this.#constant(token) }
  }

  #parentheses(token: Token): Operand {
    if (++this.#nesting > MAX_NESTING) throw this.#error('too much is nested here', token)
    const pipe = this.parse('parentheses')
    this.#nesting--
    return { kind: 'pipe', pipe }
  }

  #constant(token: Token): string | bigint | number | boolean {
    const value = constantOf(token)
    if (value === undefined) throw this.#error(`${token.text} is not a ${token.kind} that templates can hold`, token)
    return value
  }

  #error(message: string, token = this.peek()): TemplateError {
    return new TemplateError(message, token.line, 'syntax')
  }
}

function constantOf({ kind, text }: Token): string | bigint | number | boolean | undefined {
  if (kind === 'bool') return text === 'true'
  if (kind === 'number') return parseNumber(text)
  return kind === 'char' ? parseChar(text) : unquote(text)
}
