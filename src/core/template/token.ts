/** Kinds of tokens of a template. */
export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'keyword'
  | 'identifier'
  | 'field'
  | 'variable'
  | 'dot'
  | 'nil'
  | 'bool'
  | 'number'
  | 'char'
  | 'string'
  | 'declare'
  | 'assign'
  | 'pipe'
  | 'comma'
  | '('
  | ')'
  | 'end-of-file'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly line: number
  /** True if a blank stands before it. */
  readonly isSpaced: boolean
}

export const KEYWORDS: ReadonlySet<string> = new Set([
  ...['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'template', 'with'],
])
