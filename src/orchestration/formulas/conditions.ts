/** A condition on variables: `{{v}}`, `!{{v}}`, `{{v}} == x`, `{{v}} != x`. */
const CONDITION = /^(!?)\s*\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}\s*(?:(==|!=)\s*([\s\S]*))?$/
const FALSE = ['', 'false', '0', 'no', 'off']

export const CONDITION_FORMS = '{{v}}, !{{v}}, {{v}} == x or {{v}} != x'

/** True if a condition holds; undefined when it is none. A variable without value is empty. */
export function holds(condition: string, values: Readonly<Record<string, string>>): boolean | undefined {
  const [matched, not, name = '', operator, expected = ''] = CONDITION.exec(condition.trim()) ?? []
  if (matched === undefined || (not && operator)) return undefined
  const value = Object.hasOwn(values, name) ? (values[name] ?? '') : ''
  if (operator) return (value === unquote(expected.trim())) === (operator === '==')
  return FALSE.includes(value.toLowerCase()) === (not === '!')
}

function unquote(text: string): string {
  const quote = text[0]
  return text.length >= 2 && (quote === "'" || quote === '"') && text.endsWith(quote) ? text.slice(1, -1) : text
}

/**
 * A condition on the state of steps: `step.status == 'complete'`, `review.output.verdict != "reject"`. The step `step` is
 * the last one of a loop's body.
 */
export interface StateCondition {
  readonly step: string
  readonly field: 'status' | 'outcome' | 'output'
  /** Keys into the output. */
  readonly path: readonly string[]
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>='
  readonly value: string
}

/** State of a step as conditions see it. */
export interface StepState {
  /** `complete` once it is closed, whatever came of it; else the status of the bead. */
  readonly status: string
  /** `gc.outcome` */
  readonly outcome?: string
  /** `gc.output_json`, parsed. */
  readonly output?: unknown
}

const STATE = /^([^\s.()]+(?:\.[^\s.()]+)*?)\.(status|outcome|output)((?:\.[\w-]+)*)\s*(==|!=|<=|>=|<|>)\s*(\S[\s\S]*)$/
/** Other forms of the same grammar, which nothing evaluates: they count children, look for files or at the environment. */
const INERT = [
  /^(?:children|descendants|steps)\b[\s\S]*$/,
  /^file\.exists\(\s*(['"])[^'"]+\1\s*\)$/,
  /^env\.\w+\s*(?:==|!=)\s*\S[\s\S]*$/,
]

export const STATE_FORMS = "step.status == 'complete', step.outcome == 'pass' or step.output.key == 'value'"

/** Reads a condition on the state of steps; undefined when it is none that can be evaluated. */
export function parseStateCondition(text: string): StateCondition | undefined {
  const [, step, field, keys = '', operator, value] = STATE.exec(text.trim()) ?? []
  if (step === undefined || value === undefined || !isField(field) || !isOperator(operator)) return undefined
  const path = keys.split('.').filter(Boolean)
  if ((field === 'output') !== path.length > 0) return undefined
  return { step, field, path, operator, value: unquote(value.trim()) }
}

const isField = (text: string | undefined): text is StateCondition['field'] =>
  text === 'status' || text === 'outcome' || text === 'output'

const isOperator = (text: string | undefined): text is StateCondition['operator'] =>
  text !== undefined && ['==', '!=', '<', '<=', '>', '>='].includes(text)

/** True if a text is of the grammar at all, so that a file that holds it compiles. */
export const isStateGrammar = (text: string): boolean =>
  parseStateCondition(text) !== undefined || INERT.some((form) => form.test(text.trim()))

/** True if a condition holds for the states of steps by id. What has no value is empty. */
export function evaluate(
  { step, field, path, operator, value }: StateCondition,
  stateOf: (step: string) => StepState | undefined,
): boolean {
  const state = stateOf(step)
  const actual = field === 'output' ? path.reduce(member, state?.output) : state?.[field]
  const text = typeof actual === 'object' && actual !== null ? JSON.stringify(actual) : String(actual ?? '')
  if (operator === '==') return text === value
  if (operator === '!=') return text !== value
  const [left, right] = [Number(text), Number(value)]
  if (text === '' || Number.isNaN(left) || Number.isNaN(right)) return false
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? new Map<string, unknown>(Object.entries(value)).get(key)
    : undefined
