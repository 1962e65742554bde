import { TemplateError } from './error.ts'
import { tokenize } from './lexer.ts'
import { unquote } from './literal.ts'
import { type BranchNode, isEmptyBody, type Node } from './node.ts'
import { PipelineParser } from './pipeline-parser.ts'
import type { Token } from './token.ts'

/** A parsed template, and the templates that it defines by name. */
export interface ParsedTemplate {
  readonly body: readonly Node[]
  readonly definitions: ReadonlyMap<string, readonly Node[]>
}

const MAX_NESTING = 1000

/** Parses a template; throws a TemplateError for what cannot be read. */
export const parseTemplate = (source: string, functions: ReadonlySet<string>): ParsedTemplate =>
  new TemplateParser(tokenize(source), functions).parse()

/** Where a list of nodes ended. */
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
