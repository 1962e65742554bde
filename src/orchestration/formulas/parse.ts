import { createHash } from 'node:crypto'
import { parseToml, TomlSyntaxError, type TomlTable } from '../../config/toml/parse.ts'
import {
  type Advice,
  type Compose,
  type ComposeExpand,
  type Formula,
  NO_COMPOSE,
  type ParsedFormula,
  type Pointcut,
  type Step,
} from './formula.ts'
import { jsonTable } from './parse-json.ts'
import { parseSteps, type StepContext } from './parse-step.ts'
import { openVariables } from './placeholders.ts'
import { Problems, TableReader } from './reader.ts'
import { hasExtensions, parseRequirements } from './requirements.ts'
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
  const formula = table && readFormula(new TableReader(source.file, table, problems), source, problems)
  return formula && problems.list.length === 0 ? { formula } : { errors: problems.list }
}

function parseText({ file, text }: FormulaSource, problems: Problems): TomlTable | undefined {
  try {
    return file.endsWith('.json') ? jsonTable(text) : parseToml(text)
  } catch (error) {
    // Lists that lie a thousand deep in each other exhaust the stack of the parser.
    if (error instanceof RangeError) problems.add({ file, line: 1 }, 'the file is nested too deep to be read')
    else if (error instanceof TomlSyntaxError) problems.add({ file, line: error.line }, error.message)
    else throw error
    return undefined
  }
}

function readFormula(table: TableReader, source: FormulaSource, problems: Problems): Formula {
  const name = table.string('formula') ?? ''
  if (name === '') table.problem('formula', 'formula is missing: the name of the formula')
  const written = table.string('type') ?? 'workflow'
  const type = TYPES.find((each) => each === written)
  if (!type) table.problem('type', `type is "${written}": it must be ${TYPES.join(', ')}`)
  const requirements = parseRequirements(table)
  const context: StepContext = { extensions: hasExtensions(requirements), depth: 0 }
  const catalog = table.sub('catalog')
  const formula: Formula = {
    ...{ name, layer: source.layer, hash: createHash('sha256').update(source.text).digest('hex') },
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
