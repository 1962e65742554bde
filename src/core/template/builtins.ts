import { indexOf, lengthOf, sliceOf } from './access.ts'
import { isEqual, isLess, isLessOrEqual } from './compare.ts'
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts'
import type { TemplateFunction } from './function.ts'
import { print, printed, printf } from './printf.ts'
import { failure, isTrue, type Value } from './value.ts'

const comparison = (compare: (a: Value, b: Value) => boolean): TemplateFunction => ({
  params: ['any', 'any'],
  call: ([a, b]) => compare(a, b),
})

const printer = (call: (args: readonly Value[]) => string): TemplateFunction => ({ params: [], rest: 'any', call })

const escaper = (escaped: (text: string) => string): TemplateFunction =>
  printer((args) => escaped(print(args, '<no value>')))

/** Never called: the interpreter decides by itself how many arguments of these it needs. */
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
