import type { Check, Loop, Step } from './formula.ts'
import { PLACEHOLDER } from './placeholders.ts'
import type { TableReader } from './reader.ts'
import type { DrainSpec, FanOutSpec, RetrySpec } from './recipe.ts'
import { checkStepRules } from './step-rules.ts'

/** What a list of steps is part of. */
export interface StepContext {
  /** Whether the formula asks for the extensions of gc. */
  readonly extensions: boolean
  /** How deep steps lie in each other. */
  readonly depth: number
}

const MAX_DEPTH = 32
const WAITS_FOR = /^(?:all-children|any-children|children-of\(([^()]+)\))$/
/** A condition on variables, as against one on the state of steps. */
export const VARIABLE_CONDITION = /^!?\s*\{\{/

/** Reads steps; each problem names its step and its place. */
export const parseSteps = (tables: readonly TableReader[], context: StepContext): Step[] =>
  tables.map((table) => parseStep(table, context))

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

/** The step that `children-of(…)` names. */
export const waitsForStep = (value: string): string | undefined => WAITS_FOR.exec(value)?.[1]

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

/** How many members a drain takes at most. */
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
