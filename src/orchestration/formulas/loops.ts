import { collectGarbage } from '../../core/collect-garbage.ts'
import { type Compilation, MAX_EDGES, MAX_STEPS, TooLarge } from './compilation.ts'
import { isStateGrammar, STATE_FORMS } from './conditions.ts'
import { filterSteps } from './filter.ts'
import { type Loop, type Step, walk } from './formula.ts'
import { mapTexts, renameSteps } from './map-step.ts'
import { fillNames } from './placeholders.ts'
import { endsOfSteps, idsOf, resolveNeeds, takeOver } from './rounds.ts'

/** Steps with every loop written out: `<loop>.iter<N>.<step>`, each round after the one before. */
export function writeOutLoops(steps: readonly Step[], compilation: Compilation): Step[] {
  return steps.flatMap((step) => {
    const children = step.children.length > 0 ? writeOutLoops(step.children, compilation) : step.children
    const own = children === step.children ? step : { ...step, children }
    return step.loop ? writeOut(own, step.loop, compilation) : [own]
  })
}

/** Number of steps these that come to at least, so that loops in loops are refused before they are written out. */
function leastSteps(steps: readonly Step[]): number {
  let count = 0
  for (const { loop } of walk(steps)) {
    count += loop ? (loop.rounds.kind === 'count' ? loop.rounds.count : 1) * leastSteps(loop.body) : 1
  }
  return count
}

/** Rounds between two looks at the memory. */
const ROUNDS = 64

interface Round {
  /** The value of the loop's variable. */
  readonly value: number
  readonly number: number
}

function writeOut(step: Step, loop: Loop, compilation: Compilation): Step[] {
  const rounds = roundsOf(step, loop, compilation)
  compilation.limitSteps(step.place, rounds.length * leastSteps(loop.body))
  const written: Step[] = []
  let before: readonly string[] = []
  let firstStarts: readonly string[] = []
  let edges = 0
  for (const round of rounds) {
    const body = writeRound(step, loop, round, compilation)
    const { starts, ends } = endsOfSteps(body)
    edges += starts.length * before.length
    if (edges > MAX_EDGES) throw new TooLarge(step.place, `this comes to ${edges} edges: ${MAX_EDGES} is the most`)
    if (round.number === 1) firstStarts = starts
    const from = round.number === 1 ? step : { conditions: step.conditions, needs: before }
    written.push(...takeOver(body, from, starts))
    compilation.limitSteps(step.place, written.length)
    if (round.number % ROUNDS === 0) collectGarbage()
    before = ends
  }
  compilation.starts.set(step.id, firstStarts)
  compilation.ends.set(step.id, before)
  return withLabel(written, loop)
}

function roundsOf(step: Step, { rounds, place }: Loop, compilation: Compilation): Round[] {
  if (rounds.kind === 'until') {
    if (!isStateGrammar(rounds.condition)) {
      compilation.problem(
        place,
        `loop.until "${rounds.condition}" is not a condition on steps: ${STATE_FORMS}`,
        step.id,
      )
    }
    const message =
      'loop.until has no effect: the loop is gone through once. It runs with [requires] gc_extensions = ">=1.0.0"'
    compilation.warn(place, message, step.id)
    return [{ number: 1, value: 1 }]
  }
  if (rounds.kind === 'count') return count(1, rounds.count, step)
  for (const variable of rangeVariables(rounds.range)) compilation.mentions.add(variable)
  const range = parseRange(rounds.range, compilation.values)
  if ('error' in range) {
    if (range.missing === undefined) compilation.problem(place, range.error, step.id)
    else compilation.openRanges.push({ ...place, step: step.id, message: range.error })
    return []
  }
  return count(range.first, range.last - range.first + 1, step)
}

function count(first: number, length: number, step: Step): Round[] {
  if (length > MAX_STEPS)
    throw new TooLarge(step.place, `the loop goes round ${length} times: ${MAX_STEPS} is the most`)
  return Array.from({ length }, (_, index) => ({ number: index + 1, value: first + index }))
}

/** The body of one round, with the loops in it written out. */
function writeRound(step: Step, loop: Loop, { number, value }: Round, compilation: Compilation): Step[] {
  const prefix = `${step.id}.iter${number}.`
  const text = (written: string) => fillNames(written, (name) => (name === loop.variable ? String(value) : undefined))
  const filled = loop.variable === undefined ? loop.body : loop.body.map((each) => mapTexts(each, text))
  if (filled !== loop.body) filled.forEach((each) => void compilation.addText(each))
  const rename = new Map(filled.flatMap(idsOf).map((id) => [id, `${prefix}${id}`]))
  const body = filled.map((each) => renameSteps(each, rename, prefix))
  // What a condition leaves out must not be what the rounds are chained by.
  const kept = filterSteps(body, compilation.values, compilation)
  return resolveNeeds(writeOutLoops(kept, compilation), compilation)
}

/** The label that marks an `until` that has no effect. */
function withLabel(steps: Step[], { rounds }: Loop): Step[] {
  const [first, ...others] = steps
  if (!first || rounds.kind !== 'until') return steps
  const label = `loop:${JSON.stringify({ max: rounds.max, until: rounds.condition })}`
  return [{ ...first, tags: [...first.tags, label] }, ...others]
}

/** The last round of a loop that can be told apart from the next. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER

/** The first and the last number of a range such as `1..{n}*2`; a sentence when there is none. */
function parseRange(
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
    if (matched === undefined) return { error: `loop.range: "${text}" is not a sum of whole numbers and {variables}` }
    if (name !== undefined) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === undefined)
        return { error: `loop.range needs the variable {${name}}, which has no value`, missing: name }
      if (!/^-?\d+$/.test(value.trim()))
        return { error: `loop.range: {${name}} is "${value}", which is not a whole number` }
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
const rangeVariables = (text: string): string[] =>
  [...text.matchAll(/\{\{?[ \t]*([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = '']) => name)
