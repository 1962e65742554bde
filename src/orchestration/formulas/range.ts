/** The last round of a loop that can be told apart from the next. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER

/** The first and the last number of a range such as `1..{n}*2`; a sentence when there is none. */
export function parseRange(
  text: string,
  values: Readonly<Record<string, string>>,
): { readonly first: number; readonly last: number } | { readonly error: string; readonly missing?: string } {
  const parts = text.split('..')
  if (parts.length !== 2) return { error: `loop.range "${text}" must be two numbers with .. between: 1..3` }
  const numbers: number[] = []
  for (const part of parts) {
    const value = evaluate(part, values)
    if (typeof value !== 'number') return value
    numbers.push(value)
  }
  const [first = 0, last = 0] = numbers
  if (last < first) return { error: `loop.range "${text}" ends (${last}) before it begins (${first})` }
  return { first, last }
}

const TOKEN = /\s*(?:(\d+)|\{\{?[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}?\}|([-+*/^()]))/y

type Failure = { readonly error: string; readonly missing?: string }

/** A sum of whole numbers, with the usual precedence; `^` is a power and binds to the right. */
function evaluate(text: string, values: Readonly<Record<string, string>>): number | Failure {
  const tokens: (number | string)[] = []
  const trimmed = text.trim()
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const [matched, digits, name, operator] = TOKEN.exec(trimmed) ?? []
    if (matched === undefined) return { error: `loop.range: "${text}" is no sum of whole numbers and {variables}` }
    if (name !== undefined) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === undefined)
        return { error: `loop.range needs the variable {${name}}, which has no value`, missing: name }
      if (!/^-?\d+$/.test(value.trim()))
        return { error: `loop.range: {${name}} is "${value}", which is no whole number` }
      tokens.push(Number(value))
    } else tokens.push(digits === undefined ? (operator ?? '') : Number(digits))
  }
  return new Sum(tokens, text).value()
}

class Sum {
  #next = 0
  #depth = 0

  constructor(
    private readonly tokens: readonly (number | string)[],
    private readonly text: string,
  ) {}

  value(): number | Failure {
    const value = this.#sum()
    const isNumber = Number.isInteger(value) && Math.abs(value) <= MAX_NUMBER && this.#next === this.tokens.length
    return isNumber ? value : { error: `loop.range: "${this.text.trim()}" does not give a whole number` }
  }

  #take(...operators: string[]): string | undefined {
    const token = this.tokens[this.#next]
    if (typeof token !== 'string' || !operators.includes(token)) return undefined
    this.#next++
    return token
  }

  #sum(): number {
    let value = this.#product()
    for (let operator = this.#take('+', '-'); operator; operator = this.#take('+', '-')) {
      value = operator === '+' ? value + this.#product() : value - this.#product()
    }
    return value
  }

  #product(): number {
    let value = this.#power()
    for (let operator = this.#take('*', '/'); operator; operator = this.#take('*', '/')) {
      value = operator === '*' ? value * this.#power() : Math.trunc(value / this.#power())
    }
    return value
  }

  #power(): number {
    const base = this.#unary()
    return this.#take('^') ? base ** this.#nested(() => this.#power()) : base
  }

  #unary(): number {
    if (this.#take('-')) return -this.#nested(() => this.#unary())
    if (this.#take('(')) {
      const value = this.#nested(() => this.#sum())
      return this.#take(')') ? value : Number.NaN
    }
    const token = this.tokens[this.#next++]
    return typeof token === 'number' ? token : Number.NaN
  }

  #nested(parse: () => number): number {
    if (this.#depth > 50) return Number.NaN
    this.#depth++
    const value = parse()
    this.#depth--
    return value
  }
}

/** The variables that a range names. */
export const rangeVariables = (text: string): string[] =>
  [...text.matchAll(/\{\{?[ \t]*([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = '']) => name)
