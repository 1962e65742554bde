import { TemplateError } from './error.ts'
import { KEYWORDS, type Token, type TokenKind } from './token.ts'

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
/** What may follow a name without a blank. */
const TERMINATOR = /^(?:$|[\s.,|:()]|\}\})/
const SYMBOLS: Readonly<Record<string, TokenKind>> = { '=': 'assign', '|': 'pipe', ',': 'comma', '(': '(', ')': ')' }

/** Cuts a template into its tokens. */
export const tokenize = (source: string): Token[] => new Lexer(source).run()

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
