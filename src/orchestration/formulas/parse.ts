import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { collectGarbage } from '../../core/collect-garbage.ts'
import { sha256 } from '../../core/digest.ts'
import { parseToml, type TomlNode, TomlSyntaxError, type TomlTable } from '../../core/toml/index.ts'
import {
  type Advice,
  type Check,
  type Compose,
  type ComposeExpand,
  type Formula,
  type Loop,
  NO_COMPOSE,
  type ParsedFormula,
  type Pointcut,
  type Step,
} from './formula.ts'
import { openVariables, PLACEHOLDER } from './placeholders.ts'
import { Problems, TableReader } from './reader.ts'
import type { DrainSpec, FanOutSpec, RetrySpec } from './recipe.ts'
import { hasExtensions, parseRequirements } from './requirements.ts'
import { checkStepRules } from './step-rules.ts'
import { parseVariables } from './variables.ts'

/** A file that holds a formula. */
export interface FormulaSource {
  /** Absolute. */
  readonly file: string
  /** The formula folder it lies in, absolute. */
  readonly layer: string
  readonly text: string
}

const TYPES = ['workflow', 'expansion', 'aspect'] as const

/** Reads a formula file: all that can be said of it without any other file. */
export function parseFormula(source: FormulaSource): ParsedFormula {
  const problems = new Problems()
  const table = parseText(source, problems)
  collectGarbage()
  const formula = table && readFormula(new TableReader(source.file, table, problems), source, problems)
  return formula && problems.list.length === 0 ? { formula } : { errors: problems.list }
}

function parseText({ file, text }: FormulaSource, problems: Problems): TomlTable | undefined {
  const isJson = file.endsWith('.json')
  try {
    return isJson ? jsonTable(text) : parseToml(text)
  } catch (error) {
    // Lists that lie a thousand deep in each other exhaust the stack of the parser.
    if (error instanceof RangeError) problems.add({ file, line: 1 }, 'the file is nested too deep to be read')
    else if (!(error instanceof TomlSyntaxError)) throw error
    else problems.add({ file, line: error.line }, isJson ? error.message : `is not TOML: ${error.message}`)
    return undefined
  }
}

export function readFormula(table: TableReader, source: FormulaSource, problems: Problems): Formula {
  const name = table.string('formula') ?? ''
  if (name === '') table.problem('formula', 'formula is missing: the name of the formula')
  const written = table.string('type') ?? 'workflow'
  const type = TYPES.find((each) => each === written)
  if (!type) table.problem('type', `type is "${written}": it must be ${TYPES.join(', ')}`)
  const requirements = parseRequirements(table)
  const context: StepContext = { extensions: hasExtensions(requirements), depth: 0 }
  const catalog = table.sub('catalog')
  const formula: Formula = {
    ...{ name, layer: source.layer, hash: sha256(source.text) },
    place: table.placeOf('formula'),
    description: table.string('description') ?? '',
    type: type ?? 'workflow',
    ...{ phase: table.string('phase'), pour: table.boolean('pour') ?? false, requirements },
    extends: table.strings('extends').map((parent) => ({ name: parent, place: table.placeOf('extends') })),
    variables: parseVariables(table),
    steps: parseSteps(table.list('steps', ''), context),
    template: parseSteps(table.list('template', ''), context),
    compose: parseCompose(table.sub('compose')),
    advice: table.list('advice').map((advice) => parseAdvice(advice, context)),
    pointcuts: table.list('pointcuts').map(parsePointcut),
    metadata: table.json('metadata'),
    mentions: new Set(openVariables(source.text)),
    ...(catalog && {
      catalog: { name: catalog.string('name') ?? '', description: catalog.string('description') ?? '' },
    }),
  }
  checkIds(formula.steps, problems)
  checkIds(formula.template, problems)
  return formula
}

/** Each id once in a list of steps, the children included. */
export function checkIds(steps: readonly Step[], problems: Problems): void {
  const lines = new Map<string, number>()
  const visit = (step: Step) => {
    const first = lines.get(step.id)
    if (first === undefined) lines.set(step.id, step.place.line)
    else if (step.id !== '')
      problems.add(step.place, `the id "${step.id}" is there twice: also in line ${first}`, step.id)
    step.children.forEach(visit)
  }
  steps.forEach(visit)
}

function parseCompose(compose: TableReader | undefined): Compose {
  if (!compose) return NO_COMPOSE
  return {
    expand: compose.list('expand', 'compose.expand').map((each) => parseExpand(each, 'target')),
    map: compose.list('map', 'compose.map').map((each) => parseExpand(each, 'select')),
    branch: compose.list('branch', 'compose.branch').map((branch) => ({
      ...{ place: branch.place, from: required(branch, 'from', 'compose.branch') },
      ...{ steps: branch.strings('steps'), join: required(branch, 'join', 'compose.branch') },
    })),
    gate: compose.list('gate', 'compose.gate').map((gate) => ({
      ...{ place: gate.place, before: required(gate, 'before', 'compose.gate') },
      condition: required(gate, 'condition', 'compose.gate'),
    })),
    aspects: compose.strings('aspects').map((name) => ({ name, place: compose.placeOf('aspects') })),
  }
}

function parseExpand(table: TableReader, key: 'target' | 'select'): ComposeExpand {
  const name = key === 'target' ? 'compose.expand' : 'compose.map'
  return {
    ...{ place: table.place, target: required(table, key, name) },
    ...{ with: required(table, 'with', name), variables: table.record('vars') },
  }
}

function required(table: TableReader, key: string, name: string): string {
  const value = table.string(key) ?? ''
  if (value === '') table.problem(key, `${name}.${key} is missing`)
  return value
}

function parseAdvice(table: TableReader, context: StepContext): Advice {
  const around = table.sub('around', 'advice.around')
  const steps = (from: TableReader | undefined, key: string) => (from ? parseSteps(stepTables(from, key), context) : [])
  return {
    ...{ place: table.place, target: required(table, 'target', 'advice') },
    before: [...steps(table, 'before'), ...steps(around, 'before')],
    after: [...steps(table, 'after'), ...steps(around, 'after')],
  }
}

/** One step, or a list of them. */
function stepTables(table: TableReader, key: string): TableReader[] {
  const kind = table.entries().find(([name]) => name === key)?.[1].kind
  if (kind !== 'table') return table.list(key, '')
  const single = table.sub(key, '')
  return single ? [single] : []
}

const parsePointcut = (table: TableReader): Pointcut => ({
  ...{ glob: table.string('glob'), type: table.string('type'), label: table.string('label') },
})

/** A formula written as JSON, as the table that the same formula is as TOML; throws {@link TomlSyntaxError}. */
function jsonTable(text: string): TomlTable {
  const errors: ParseError[] = []
  const lines = lineStarts(text)
  const root = parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  if (error) throw new TomlSyntaxError(lineAt(lines, error.offset), `is not JSON: ${printParseErrorCode(error.error)}`)
  const node = root && toNode(root, lines)
  if (node?.kind === 'table') return node
  throw new TomlSyntaxError(1, 'must be a JSON object')
}

function toNode(node: Node, lines: readonly number[]): TomlNode | undefined {
  const position = { line: lineAt(lines, node.offset), offset: node.offset }
  const value: unknown = node.value
  if (node.type === 'array') {
    return { kind: 'array', ...position, items: (node.children ?? []).flatMap((item) => toNode(item, lines) ?? []) }
  }
  if (node.type === 'object') {
    const entries = (node.children ?? []).flatMap(({ children: [key, member] = [] }): [string, TomlNode][] => {
      const content = member && toNode(member, lines)
      return key && content ? [[String(key.value), content]] : []
    })
    return { kind: 'table', ...position, entries: new Map(entries) }
  }
  if (typeof value === 'string') return { kind: 'string', ...position, value }
  if (typeof value === 'boolean') return { kind: 'boolean', ...position, value }
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? 'integer' : 'float', ...position, value }
  return undefined
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) starts.push(feed + 1)
  return starts
}

/** The line of an offset, by halves. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** Context of a list of steps. */
interface StepContext {
  /** True if the formula asks for the extensions of gc. */
  readonly extensions: boolean
  /** Depth of nested steps. */
  readonly depth: number
}

const MAX_DEPTH = 32
const WAITS_FOR = /^(?:all-children|any-children|children-of\([^()]+\))$/
/** A condition on variables, as against one on the state of steps. */
const VARIABLE_CONDITION = /^!?\s*\{\{/

/** Steps between two looks at the memory. */
const STEPS = 256

/** Reads steps; each problem names its step and its place. */
const parseSteps = (tables: readonly TableReader[], context: StepContext): Step[] =>
  tables.map((table, index) => {
    if (index % STEPS === STEPS - 1) collectGarbage()
    return parseStep(table, context)
  })

function parseStep(unnamed: TableReader, context: StepContext): Step {
  const id = unnamed.string('id') ?? ''
  const table = unnamed.ofStep(id)
  if (id === '') table.problem('id', 'a step needs an id')
  const isTooDeep = context.depth > MAX_DEPTH
  if (isTooDeep) table.problem('id', `steps lie more than ${MAX_DEPTH} deep in each other`)
  const title = table.string('title') ?? ''
  if (title === '' && !table.has('expand')) table.problem('id', 'title is missing: only a step with expand may lack it')
  if (table.has('tally')) table.problem('tally', 'tally is no longer there: count votes in a step of your pack')
  const inner = { ...context, depth: context.depth + 1 }
  const condition = table.string('condition')
  const isRunCondition = context.extensions && condition !== undefined && !VARIABLE_CONDITION.test(condition)
  const loop = isTooDeep ? undefined : parseLoop(table, inner)
  const until = context.extensions && loop?.rounds.kind === 'until' ? loop.rounds : undefined
  const children = isTooDeep ? [] : parseSteps(table.list('children', ''), inner)
  const step: Step = {
    ...{ place: table.place, id, title },
    description: table.string('description'),
    descriptionFile: table.string('description_file'),
    notes: table.string('notes'),
    type: table.string('type'),
    priority: parsePriority(table),
    ...{ tags: table.strings('tags'), metadata: table.record('metadata') },
    needs: [...new Set([...table.strings('depends_on'), ...table.strings('needs')])],
    conditions: condition === undefined || isRunCondition ? [] : [condition],
    ...(isRunCondition && { runCondition: condition }),
    children: until ? [...children, ...(loop?.body ?? [])] : children,
    assignee: table.string('assignee'),
    expand: table.string('expand'),
    expandVars: table.record('expand_vars'),
    loop: until ? undefined : loop,
    waitsFor: parseWaitsFor(table),
    gate: parseGate(table),
    check: until ? { maxAttempts: until.max, verdict: until } : parseCheck(table),
    retry: parseRetry(table),
    drain: parseDrain(table),
    onComplete: parseFanOut(table),
    timeout: table.string('timeout'),
    blockOnFailure: parseBlocking(table, context),
  }
  checkStepRules(step, table)
  return step
}

function parsePriority(table: TableReader): number | undefined {
  const priority = table.integer('priority')
  if (priority !== undefined && (priority < 0 || priority > 4)) table.problem('priority', 'priority must be 0 to 4')
  return priority
}

function parseBlocking(table: TableReader, { extensions }: StepContext): boolean | undefined {
  // Without the extensions it is an unknown key like any other.
  return extensions ? table.boolean('block_on_failure') : undefined
}

function parseWaitsFor(table: TableReader): string | undefined {
  const value = table.string('waits_for')
  if (value === undefined || WAITS_FOR.test(value)) return value
  table.problem('waits_for', `waits_for is "${value}": it must be all-children, any-children or children-of(<step id>)`)
  return undefined
}

function parseGate(table: TableReader): Step['gate'] {
  const gate = table.sub('gate')
  if (!gate) return undefined
  const type = gate.string('type') ?? ''
  if (type === '') gate.problem('type', 'gate.type is missing: human, timer, gh:run or gh:pr')
  return { type, id: gate.string('id'), timeout: gate.string('timeout') }
}

function parseLoop(table: TableReader, context: StepContext): Loop | undefined {
  const loop = table.sub('loop')
  if (!loop) return undefined
  if (['string', 'float'].includes(loop.entries().find(([key]) => key === 'count')?.[1].kind ?? '')) {
    loop.problem('count', 'loop.count must be a whole number as it stands; for a variable write range = "1..{n}"')
    return undefined
  }
  const count = loop.integer('count') ?? 0
  const range = loop.string('range')
  const until = loop.string('until')
  const max = loop.integer('max') ?? 0
  const kinds = [count !== 0, range !== undefined, until !== undefined].filter(Boolean)
  if (kinds.length !== 1) {
    loop.problem('count', `loop needs ${kinds.length === 0 ? 'one' : 'only one'} of count, range and until`)
  }
  if (count < 0) loop.problem('count', 'loop.count must be 1 or more')
  if (until !== undefined && max < 1) loop.problem('max', 'loop.max must say how often a loop with until may go round')
  const body = parseSteps(loop.list('body', ''), context)
  if (body.length === 0) loop.problem('body', 'loop.body is empty')
  return {
    ...{ place: loop.place, body, variable: loop.string('var') },
    rounds:
      until !== undefined
        ? { kind: 'until', condition: until, max }
        : range !== undefined
          ? { kind: 'range', range }
          : { kind: 'count', count },
  }
}

function parseCheck(table: TableReader): Check | undefined {
  const check = table.sub('check') ?? table.sub('ralph')
  if (!check) return undefined
  const maxAttempts = parseAttempts(check, 'check')
  const script = check.sub('check', 'check.check')
  const mode = script?.string('mode') ?? 'exec'
  if (mode !== 'exec') script?.problem('mode', `check.check.mode is "${mode}": only exec is there`)
  const path = script?.string('path') ?? ''
  if (path === '') (script ?? check).problem('path', 'check.check.path is missing: the script that checks the step')
  const timeout = script?.string('timeout')
  return { maxAttempts, verdict: { kind: 'exec', path, timeout } }
}

function parseRetry(table: TableReader): RetrySpec | undefined {
  const retry = table.sub('retry')
  if (!retry) return undefined
  const max_attempts = parseAttempts(retry, 'retry')
  const exhausted = retry.string('on_exhausted')
  if (exhausted === undefined) return { max_attempts }
  if (exhausted === 'hard_fail' || exhausted === 'soft_fail') return { max_attempts, on_exhausted: exhausted }
  retry.problem('on_exhausted', `retry.on_exhausted is "${exhausted}": it must be hard_fail or soft_fail`)
  return { max_attempts }
}

function parseAttempts(table: TableReader, name: string): number {
  const attempts = table.integer('max_attempts') ?? 0
  if (attempts < 1) table.problem('max_attempts', `${name}.max_attempts must be 1 or more`)
  return attempts
}

function parseFanOut(table: TableReader): FanOutSpec | undefined {
  const fan = table.sub('on_complete')
  if (!fan) return undefined
  const for_each = fan.string('for_each') ?? ''
  const bond = fan.string('bond') ?? ''
  if (for_each === '') fan.problem('for_each', 'on_complete.for_each is missing')
  else if (!/^output\.[^.]/.test(for_each)) {
    fan.problem('for_each', `on_complete.for_each is "${for_each}": it must begin with output.`)
  }
  if (bond === '') fan.problem('bond', 'on_complete.bond is missing: the expansion formula that each item gets')
  const parallel = fan.boolean('parallel')
  const sequential = fan.boolean('sequential')
  if (parallel && sequential) fan.problem('sequential', 'on_complete cannot be both parallel and sequential')
  const vars = fan.record('vars')
  return {
    ...{ for_each, bond, ...(Object.keys(vars).length > 0 && { vars }) },
    parallel: parallel,
    sequential: sequential,
  }
}

/** Maximum number of members a drain takes. */
const MAX_DRAIN_UNITS = 100

function parseDrain(table: TableReader): DrainSpec | undefined {
  const drain = table.sub('drain')
  if (!drain) return undefined
  const formula = drain.string('formula') ?? ''
  if (formula === '') drain.problem('formula', 'drain.formula is missing: the formula that each member gets')
  if (PLACEHOLDER.test(formula)) drain.problem('formula', 'drain.formula must be a name, without {{variables}}')
  const context = oneOf(drain, 'context', ['separate', 'shared'] as const) ?? 'separate'
  const max_units = drain.integer('max_units')
  if (max_units !== undefined && (max_units < 1 || max_units > MAX_DRAIN_UNITS)) {
    drain.problem('max_units', `drain.max_units must be 1 to ${MAX_DRAIN_UNITS}`)
  }
  const single_lane = drain.sub('item', 'drain.item')?.boolean('single_lane')
  if (context === 'shared' && !single_lane) {
    drain.problem('item', 'a shared drain needs drain.item.single_lane = true')
  }
  const group = drain.string('continuation_group')
  if (group !== undefined && context !== 'shared') {
    drain.problem('continuation_group', 'drain.continuation_group is only for a shared drain')
  }
  return {
    ...{ context, formula },
    member_access: oneOf(drain, 'member_access', ['read', 'exclusive'] as const),
    max_units: max_units,
    on_item_failure: oneOf(drain, 'on_item_failure', ['continue', 'skip_remaining'] as const),
    continuation_group: group,
    ...(single_lane !== undefined && { item: { single_lane } }),
  }
}

function oneOf<Choice extends string>(table: TableReader, key: string, choices: readonly Choice[]): Choice | undefined {
  const value = table.string(key)
  const choice = choices.find((each) => each === value)
  if (value !== undefined && choice === undefined) {
    table.problem(key, `drain.${key} is "${value}": it must be ${choices.join(' or ')}`)
  }
  return choice
}
