import { indexOf, lengthOf, sliceOf } from './access.ts'
import type { TemplateFunction } from './function.ts'
import { print, printed, printf } from './printf.ts'
import { compareBytes, failure, isTrue, typeName, type Value } from './value.ts'

const HTML: Readonly<Record<string, string>> = {
  ...{ '\0': '\uFFFD', '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' },
}

const escapeHtml = (text: string): string => text.replace(/["'&<>\p{Cc}]/gu, (char) => HTML[char] ?? char)

const JS: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', "'": "\\'", '"': '\\"', '<': '\\u003C', '>': '\\u003E', '&': '\\u0026', '=': '\\u003D' },
}
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u
const HEX = 16

/** A text for use inside a string of JavaScript. */
const escapeJs = (text: string): string =>
  text.replace(/[\\'"<>&=\p{Cc}]|[^\p{ASCII}]/gu, (char) => {
    const named = JS[char]
    if (named !== undefined) return named
    const code = char.codePointAt(0) ?? 0
    if (code === 0x7f || (code > 0x7f && PRINTABLE.test(char))) return char
    return `\\u${code.toString(HEX).toUpperCase().padStart(4, '0')}`
  })

/** A text for use in the query of a URL. */
const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(HEX).toUpperCase()}`)
    .replaceAll('%20', '+')

/** True if two values are equal; throws for values of different types. */
function isEqual(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b
  if (typeName(a) !== typeName(b)) throw failure(`${typeName(a)} and ${typeName(b)} cannot be compared`)
  if (typeof a === 'object') throw failure(`values of type ${typeName(a)} cannot be compared`)
  return a === b
}

/** True if the first value is less than the second; throws for values without an order. */
function isLess(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b) < 0
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b
  if (typeof a === 'number' && typeof b === 'number') return a < b
  throw failure(`${typeName(a)} and ${typeName(b)} have no order`)
}

const isLessOrEqual = (a: Value, b: Value): boolean => isLess(a, b) || isEqual(a, b)

const comparison = (compare: (a: Value, b: Value) => boolean): TemplateFunction => ({
  params: ['any', 'any'],
  call: ([a, b]) => compare(a, b),
})

const printer = (call: (args: readonly Value[]) => string): TemplateFunction => ({ params: [], rest: 'any', call })

const escaper = (escaped: (text: string) => string): TemplateFunction =>
  printer((args) => escaped(print(args, '<no value>')))

/** Never called: the interpreter decides automatically how many arguments of these it needs. */
const lazy: TemplateFunction = { params: ['any'], rest: 'any', call: ([first]) => first }

/** The functions that every template has. */
export const BUILTINS: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['and', lazy],
  ['or', lazy],
  ['not', { params: ['any'], call: ([value]) => !isTrue(value) }],
  ['eq', { params: ['any'], rest: 'any', call: equalsAny }],
  ['ne', comparison((a, b) => !isEqual(a, b))],
  ['lt', comparison(isLess)],
  ['le', comparison(isLessOrEqual)],
  ['gt', comparison((a, b) => !isLessOrEqual(a, b))],
  ['ge', comparison((a, b) => !isLess(a, b))],
  ['len', { params: ['any'], call: ([item]) => lengthOf(item) }],
  ['index', { params: ['any'], rest: 'any', call: ([item, ...indexes]) => indexes.reduce(indexOf, requireItem(item)) }],
  ['slice', { params: ['any'], rest: 'any', call: ([item, ...indexes]) => sliceOf(item, indexes) }],
  ['print', printer((args) => print(args))],
  ['println', printer((args) => `${args.map((arg) => printed(arg)).join(' ')}\n`)],
  [
    'printf',
    {
      params: ['string'],
      rest: 'any',
      call: ([format, ...args]) => printf(typeof format === 'string' ? format : '', args),
    },
  ],
  ['html', escaper(escapeHtml)],
  ['js', escaper(escapeJs)],
  ['urlquery', escaper(escapeQuery)],
  ['call', { params: ['any'], rest: 'any', call: refuseCall }],
])

function equalsAny([first, ...others]: readonly Value[]): boolean {
  if (others.length === 0) throw failure('eq needs something to compare with')
  return others.some((other) => isEqual(first, other))
}

function requireItem(item: Value): Value {
  if (item === undefined) throw failure('nil has no items')
  return item
}

function refuseCall(): never {
  throw failure('no value of a template is a function')
}
