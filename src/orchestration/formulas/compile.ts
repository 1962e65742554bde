import { basename } from 'node:path'
import { suggestion, withHint } from '../../config/files/index.ts'
import { collectGarbage } from '../../core/collect-garbage.ts'
import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { writeAttempts } from './attempts.ts'
import { Compilation, MAX_EDGES, TooLarge } from './compilation.ts'
import { addBranches, composeExpansions } from './compose.ts'
import { parseStateCondition, STATE_FORMS } from './conditions.ts'
import { withScopeChecks } from './controls.ts'
import { expandInline, warnOfUnknown } from './expand.ts'
import { filterSteps, settleNeeds } from './filter.ts'
import { flatten, recipeParts } from './flatten.ts'
import { type Advice, countSteps, type Formula, type Loop, type Pointcut, type Step, walk } from './formula.ts'
import { type FormulaFiles, missingFormula, missingHint } from './formula-files.ts'
import { matchesGlob } from './glob.ts'
import { writeOutLoops } from './loops.ts'
import { mapTexts } from './map-step.ts'
import { briefErrors, uniqueMessages } from './messages.ts'
import { inOrder } from './order.ts'
import { checkIds } from './parse.ts'
import { fillNames, openVariables } from './placeholders.ts'
import type { Bond, CompileResult, FormulaMessage, Recipe, RecipeDependency, RecipeRoot, RecipeStep } from './recipe.ts'
import { checkRequirements, isGraph, uniqueRequirements } from './requirements.ts'
import { resolveNeeds } from './rounds.ts'
import { toSpec } from './spec.ts'
import { graphConstruct } from './step-rules.ts'
import { isGiven, RESERVED, valuesOf } from './variables.ts'

type Variables = Readonly<Record<string, string>>

/** Compiles the formula of a name with these variables. It reads nothing but the files, and throws nothing. */
export function compile(files: FormulaFiles, name: string, variables: Variables = {}): CompileResult {
  return compileWithin(files, name, variables, [])
}

/**
 * Judges a formula whatever its variables are: a loop whose range needs one is not judged. Strictly, a title may name only
 * variables that a run has without being told.
 */
export function openCompile(
  files: FormulaFiles,
  name: string,
  isStrict = false,
): { readonly errors: readonly FormulaMessage[]; readonly warnings: readonly FormulaMessage[] } {
  const result = compileWithin(files, name, {}, [], { isOpen: true, isStrict })
  if ('recipe' in result) return { errors: [], warnings: result.recipe.warnings }
  const parsed = files.formula(name)
  if (result.reason !== 'not-workflow' || !parsed || 'errors' in parsed) return { errors: result.errors, warnings: [] }
  const reading = new Compilation(files, {})
  const formula = reading.formula({ name, place: parsed.formula.place }, parsed.formula.type)
  if (formula) resolveFiles(formula.template, isGraph(formula.requirements), reading)
  return { errors: reading.problems.list, warnings: reading.warnings }
}

interface CompileOptions {
  /** True if values of variables are not known yet. */
  readonly isOpen?: boolean
  /** True if a title may name only variables that are declared, or that gc gives. */
  readonly isStrict?: boolean
}

function compileWithin(
  files: FormulaFiles,
  name: string,
  variables: Variables,
  /** The formulas whose drains run this one. */
  drains: readonly string[],
  options: CompileOptions = {},
): CompileResult {
  const result = compileOnce(files, name, variables, drains, options)
  return 'errors' in result ? { ...result, errors: uniqueMessages(result.errors) } : result
}

function compileOnce(
  files: FormulaFiles,
  name: string,
  variables: Variables,
  drains: readonly string[],
  options: CompileOptions,
): CompileResult {
  const parsed = files.formula(name)
  if (!parsed) {
    const missing = `formula "${name}" not found in search paths: ${files.folders.join(', ')}`
    const message = withHint(missing, missingHint(files, name))
    const file = files.folders.at(-1) ?? ''
    return { reason: 'missing', file, errors: [{ file, line: 1, message }] }
  }
  const file = files.fileOf(name) ?? ''
  if ('errors' in parsed) return { reason: 'invalid', file, errors: parsed.errors }
  if (parsed.formula.type !== 'workflow') {
    const { place, type } = parsed.formula
    const message = `"${name}": formula is not a workflow: it is an ${type}, which other formulas use`
    return { reason: 'not-workflow', file, errors: [{ ...place, message }] }
  }
  const given = { name, place: parsed.formula.place }
  try {
    const reading = new Compilation(files, variables)
    const formula = reading.formula(given, 'workflow')
    if (!formula) return { reason: 'invalid', file, errors: reading.problems.list }
    const definitions = [...formula.variables.values()].map(({ definition }) => definition)
    const compilation = new Compilation(files, valuesOf(definitions, variables))
    compilation.requirements.push(...formula.requirements)
    const recipe = compileFormula(formula, variables, compilation, { ...options, drains: [...drains, name] })
    const open = options.isOpen ? [] : compilation.openRanges
    const errors = [...compilation.problems.list, ...open]
    if (!recipe || errors.length > 0) return { reason: 'invalid', file, errors }
    return { recipe, known: [...new Set([...formula.variables.keys(), ...formula.mentions, ...compilation.mentions])] }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return { reason: 'invalid', file, errors: [{ ...error.place, message: error.message }] }
  }
}

function compileFormula(
  formula: Formula,
  given: Variables,
  compilation: Compilation,
  { drains, isStrict = false }: CompileOptions & { drains: readonly string[] },
): Recipe | undefined {
  const written = writeOut(formula, compilation)
  collectGarbage()
  const requirements = uniqueRequirements(compilation.requirements)
  const graph = isGraph(requirements)
  checkRequirements(requirements, compilation.files.capabilities, formula.place, compilation.problems)
  checkVariables(formula, given, graph, compilation)
  checkGraph(written, graph, compilation)
  checkConditions(written, compilation)
  if (isStrict) checkTitles(written, formula, compilation)
  const steps = resolveFiles(written, graph, compilation)
  const { bonds, templates } = compileBonds(steps, compilation)
  const items = {
    ...compileItems(templates, given, compilation, drains, (place, message, id) =>
      compilation.warn(place, `${message}; the drain fails when it gets there`, id),
    ),
    ...compileItems(steps, given, compilation, drains, (...problem) => compilation.problem(...problem)),
  }
  if (compilation.problems.list.length > 0) return undefined
  collectGarbage()
  const parts = toParts(steps, formula, graph, compilation)
  if (!parts) return undefined
  const definitions = [...formula.variables.values()].map(({ definition }) => definition)
  const isWisp = (formula.phase === 'vapor' && !formula.pour) || parts.steps.length === 0
  const shape = graph ? 'graph' : isWisp ? 'wisp' : 'molecule'
  return {
    ...{ version: 1, formula: formula.name, description: formula.description, contract: graph ? 'v2' : 'v1', shape },
    ...(formula.phase !== undefined && { phase: formula.phase }),
    pour: formula.pour,
    variables: {
      definitions: definitions.sort((a, b) => (a.name < b.name ? -1 : 1)),
      values: { ...compilation.values },
    },
    source: { file: formula.place.file, layer: formula.layer, hash: formula.hash },
    requirements: requirements.map(({ axis, constraint }) => `${axis} ${constraint}`),
    ...(Object.keys(formula.metadata).length > 0 && { metadata: formula.metadata }),
    ...{ root: rootOf(formula, shape), ...parts, bonds, items, warnings: compilation.warnings },
  }
}

/** The steps of a formula with everything in its file done that is done at compile time. */
function writeOut(formula: Formula, compilation: Compilation): Step[] {
  const { compose } = formula
  const advised = new Set<string>()
  const looped = addBranches(writeOutLoops(formula.steps, compilation), compose, compilation)
  const own = applyAdvice(looped, formula, advised, compilation)
  const expanded = composeExpansions(expandInline(own, compilation), compose, compilation)
  const complete = compose.aspects.reduce((steps, named) => {
    const aspect = compilation.formula(named, 'aspect')
    return aspect ? applyAdvice(steps, aspect, advised, compilation) : steps
  }, expanded)
  collectGarbage()
  const filtered = filterSteps(complete, compilation.values, compilation)
  const place = formula.place
  compilation.limitSteps(place, countSteps(filtered))
  checkIds(filtered, compilation.problems)
  return settleNeeds(filtered, compilation)
}

/** Compiles the formulas that drains among the steps run for each member. */
function compileItems(
  steps: readonly Step[],
  given: Variables,
  compilation: Compilation,
  drains: readonly string[],
  complain: Compilation['problem'],
): Record<string, Recipe> {
  const items: Record<string, Recipe> = {}
  for (const { drain, place, id } of walk(steps)) {
    if (!drain || Object.hasOwn(items, drain.formula)) continue
    if (drains.includes(drain.formula)) {
      complain(place, `drains run each other in a circle: ${[...drains, drain.formula].join(' → ')}`, id)
      continue
    }
    const result = compileWithin(compilation.files, drain.formula, given, drains)
    if ('errors' in result) {
      const [first] = briefErrors(result)
      const at = first && result.reason === 'invalid' ? `${basename(first.file)}:${first.line}: ` : ''
      complain(place, `drain.formula "${drain.formula}" cannot be used: ${at}${first?.message ?? ''}`, id)
    } else if (result.recipe.contract === 'v1') {
      complain(place, `drain.formula "${drain.formula}" must be a graph: [requires] formula_compiler = ">=2.0.0"`, id)
    } else {
      items[drain.formula] = result.recipe
      for (const variable of result.known) compilation.mentions.add(variable)
    }
  }
  return items
}

function toParts(
  steps: readonly Step[],
  { name, place }: Formula,
  graph: boolean,
  compilation: Compilation,
): { steps: RecipeStep[]; deps: RecipeDependency[] } | undefined {
  const flat = graph ? withScopeChecks(flatten(writeAttempts(steps), true)) : flatten(steps, false)
  compilation.limitSteps(place, flat.length)
  const edges = flat.reduce((sum, { needs }) => sum + needs.length, 0)
  if (edges > MAX_EDGES) throw new TooLarge(place, `this comes to ${edges} edges: ${MAX_EDGES} is the most`)
  const ids = new Set<string>()
  for (const { id, place: at } of flat) {
    if (ids.has(id)) compilation.problem(at, `the id "${id}" is also that of a step which gc makes of another one`, id)
    ids.add(id)
  }
  collectGarbage()
  const parts = recipeParts(flat, { formula: name, isGraph: graph })
  collectGarbage()
  const order = inOrder(parts.steps, parts.deps)
  if ('cycle' in order) {
    const first = flat.find(({ ref, id }) => `${name}.${ref ?? id}` === order.cycle[0])
    const circle = order.cycle.map((id) => id.slice(name.length + 1)).join(' → ')
    compilation.problem(first?.place ?? place, `formula "${name}" contains a dependency cycle: ${circle}`, first?.id)
  }
  if (compilation.problems.list.length > 0 || 'cycle' in order) return undefined
  return graph ? withFinalize({ steps: order.steps, deps: parts.deps }, name) : parts
}

/** A graph with the control that ends it: it waits for every step that nothing waits for, and for every scope. */
function withFinalize(
  { steps, deps }: { steps: RecipeStep[]; deps: RecipeDependency[] },
  formula: string,
): { steps: RecipeStep[]; deps: RecipeDependency[] } {
  const waited = new Set(deps.map(({ from }) => from))
  const isEnd = ({ id, kind }: RecipeStep) => kind !== 'spec' && (!waited.has(id) || kind === 'scope')
  const ends = steps.filter((step) => isEnd(step) && !step.ref.match(ITERATION))
  const id = `${formula}.workflow-finalize`
  const finalize: RecipeStep = {
    ...{ id, ref: 'workflow-finalize', title: 'Finalize workflow', type: 'task', kind: 'workflow-finalize' },
    ...{ labels: [], metadata: { [WorkflowKey.kind]: 'workflow-finalize' } },
  }
  const edges = ends.map((end): RecipeDependency => ({ from: end.id, to: id, kind: 'blocks' }))
  return { steps: [...steps, finalize], deps: [...deps, ...edges, { from: id, to: formula, kind: 'blocks' }] }
}

/** The scope that one iteration of a check is: the check decides the result of it. */
const ITERATION = /\.iteration\.\d+$/

function rootOf({ name, description, variables, metadata }: Formula, shape: Recipe['shape']): RecipeRoot {
  const own = Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'object' || key.startsWith('gc.') ? [] : [[key, String(value)] as const],
  )
  const kind: Record<string, string> =
    shape === 'graph'
      ? { [EngineKey.formulaContract]: 'graph.v2', [EngineKey.formulaName]: name, [WorkflowKey.kind]: 'workflow' }
      : { [EngineKey.formulaName]: name, ...(shape === 'wisp' && { [WorkflowKey.kind]: 'wisp' }) }
  return {
    title: variables.has('title') ? '{{title}}' : name,
    description: variables.has('desc') ? '{{desc}}' : description,
    type: shape === 'molecule' ? 'molecule' : 'task',
    priority: 2,
    metadata: { ...Object.fromEntries(own), ...kind },
  }
}

const RESERVED_FOR_CALLERS = [...RESERVED, 'issue']

/** A graph neither declares nor takes the variables that its launch gives. */
function checkVariables(
  { variables, place }: Formula,
  given: Readonly<Record<string, string>>,
  graph: boolean,
  compilation: Compilation,
): void {
  if (!graph) return
  for (const name of RESERVED) {
    const declared = variables.get(name)
    if (declared) compilation.problem(declared.place, `vars.${name} is given by gc to a graph: it cannot be declared`)
  }
  for (const name of RESERVED_FOR_CALLERS) {
    if (Object.hasOwn(given, name)) {
      compilation.problem(place, `the variable "${name}" is given by gc to a graph: it cannot be supplied`)
    }
  }
}

/** Only a graph may have what an engine has to run. */
function checkGraph(steps: readonly Step[], graph: boolean, compilation: Compilation): void {
  if (graph) return
  for (const step of walk(steps)) {
    const construct = graphConstruct(step)
    if (construct) {
      const message = `${construct} needs a graph: declare [requires] formula_compiler = ">=2.0.0"`
      compilation.problem(step.place, message, step.id)
    }
  }
}

/** Conditions on the state of steps must be such, and name a step that is over before they are judged. */
function checkConditions(steps: readonly Step[], compilation: Compilation): void {
  for (const step of walk(steps)) {
    if (step.runCondition !== undefined && !parseStateCondition(step.runCondition)) {
      const message = `condition "${step.runCondition}" is neither one on variables ({{v}}) nor on a step: ${STATE_FORMS}`
      compilation.problem(step.place, message, step.id)
    }
    const verdict = step.check?.verdict
    if (verdict?.kind !== 'until') continue
    const named = parseStateCondition(verdict.condition)?.step
    if (named === undefined) {
      const message = `loop.until "${verdict.condition}" cannot be evaluated: write ${STATE_FORMS}`
      compilation.problem(step.place, message, step.id)
    } else if (named !== 'step' && !step.children.some(({ id }) => id === named)) {
      compilation.problem(step.place, `loop.until names "${named}", and there is no such step in the loop`, step.id)
    }
  }
}

/** Reports the variables in titles that are neither declared nor given by gc, each once: no run starts without them. */
function checkTitles(steps: readonly Step[], { variables }: Formula, compilation: Compilation): void {
  const { values } = compilation
  const checked = new Set<string>()
  for (const { title, place, id } of walk(steps)) {
    for (const name of openVariables(title)) {
      if (checked.has(name)) continue
      checked.add(name)
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      const [open] = openVariables(value ?? '')
      if (open !== undefined) {
        const message = `title names {{${name}}}, whose default names {{${open}}}: variables are filled once, so it is left in the title`
        compilation.problem(place, message, id)
      } else if (value === undefined && !variables.has(name) && !isGiven(name)) {
        const message = `title names {{${name}}}, which [vars] does not declare: no run starts without --var ${name}=<value>`
        compilation.problem(place, withHint(message, suggestion(name, variables.keys())), id)
      }
    }
  }
}

/** Steps with those around them that a formula advises; what was added by advice is not advised again. */
function applyAdvice(
  steps: readonly Step[],
  { advice, pointcuts }: Pick<Formula, 'advice' | 'pointcuts'>,
  added: Set<string>,
  compilation: Compilation,
): Step[] {
  if (advice.length === 0) return [...steps]
  return steps.flatMap((step) => {
    const children =
      step.children.length > 0 ? applyAdvice(step.children, { advice, pointcuts }, added, compilation) : []
    const around = { before: [] as Step[], after: [] as Step[] }
    for (const each of advice) {
      if (added.has(step.id) || !isAdvised(step, each, pointcuts)) continue
      around.before.push(...each.before.map((advised) => adapt(advised, step, compilation)))
      around.after.push(...each.after.map((advised) => adapt(advised, step, compilation)))
    }
    const before = chain(around.before)
    const after = chain(around.after, step.id)
    for (const { id } of [...before, ...after]) added.add(id)
    const last = before.at(-1)
    return [...before, { ...step, needs: last ? [...step.needs, last.id] : step.needs, children }, ...after]
  })
}

const isAdvised = (step: Step, { target }: Advice, pointcuts: readonly Pointcut[]): boolean =>
  matchesGlob(step.id, target) && (pointcuts.length === 0 || pointcuts.some((pointcut) => isOf(step, pointcut)))

const isOf = (step: Step, { glob, type, label }: Pointcut): boolean =>
  (glob === undefined || matchesGlob(step.id, glob)) &&
  (type === undefined || step.type === type) &&
  (label === undefined || step.tags.includes(label))

/** An advised step for the one it is about, under the same conditions. */
function adapt(advised: Step, { id, title, description, conditions }: Step, compilation: Compilation): Step {
  const texts: Readonly<Record<string, string>> = {
    'step.id': id,
    'step.title': title,
    'step.description': description ?? '',
  }
  const adapted = mapTexts(advised, (text) =>
    fillNames(text, (name) => (Object.hasOwn(texts, name) ? texts[name] : undefined)),
  )
  compilation.addText(adapted)
  return { ...adapted, conditions: [...conditions, ...adapted.conditions] }
}

/** Steps one after the other, the first after the step of an id. */
const chain = (steps: readonly Step[], first?: string): Step[] =>
  steps.map((step, index) => {
    const before = index === 0 ? first : steps[index - 1]?.id
    return before === undefined ? step : { ...step, needs: [...new Set([...step.needs, before])] }
  })

interface Bonds {
  bonds: Record<string, Bond>
  /** The steps of all of them, as their files say them. */
  templates: Step[]
}

/** Compiles the expansions of fan-outs among the steps, recursively. */
function compileBonds(steps: readonly Step[], compilation: Compilation): Bonds {
  const bonds: Record<string, Bond> = {}
  const templates: Step[] = []
  const open = [...walk(steps)]
  for (let step = open.pop(); step; step = open.pop()) {
    if (!step.onComplete) continue
    const { bond: name, vars = {} } = step.onComplete
    const formula = readBond(name, compilation)
    if (typeof formula === 'string') {
      bonds[name] = { error: formula }
      compilation.warn(
        step.place,
        `on_complete.bond "${name}": ${formula}; the fan-out fails when it gets there`,
        step.id,
      )
      continue
    }
    warnOfUnknown(formula, step, Object.keys(vars), compilation)
    for (const range of rangesOf(formula.template)) {
      const used = Object.keys(vars).find((variable) => range.includes(`{${variable}}`))
      if (used === undefined) continue
      const message = `on_complete.vars.${used} is in a loop.range of "${name}", which is counted before there are items`
      compilation.problem(step.place, message, step.id)
    }
    if (Object.hasOwn(bonds, name)) continue
    const written = resolveNeeds(
      expandInline(writeOutLoops(formula.template, compilation), compilation, 1),
      compilation,
    )
    const template = resolveFiles(written, true, compilation)
    const variables = [...formula.variables.values()].map(({ definition }) => definition)
    bonds[name] = { formula: name, variables, steps: template.map(toSpec) }
    templates.push(...template)
    open.push(...walk(template))
  }
  return { bonds, templates }
}

/** The expansion of a name, or why there is none: items that no one has yet need not keep a formula from compiling. */
function readBond(name: string, compilation: Compilation): Formula | string {
  const parsed = compilation.files.formula(name)
  if (!parsed) return missingFormula(compilation.files, name)
  if ('errors' in parsed) return `the formula "${name}" cannot be read: ${parsed.errors[0]?.message ?? ''}`
  if (parsed.formula.type !== 'expansion') return `"${name}" is not an expansion`
  return compilation.formula({ name, place: parsed.formula.place }, 'expansion') ?? `"${name}" cannot be compiled`
}

const rangesOf = (steps: readonly Step[]): string[] =>
  [...walk(steps)].flatMap(({ loop }) => (loop ? [...rangeOf(loop), ...rangesOf(loop.body)] : []))

const rangeOf = ({ rounds }: Loop): string[] => (rounds.kind === 'range' ? [rounds.range] : [])

const ASSETS = '../assets/'

/** Steps with the scripts of their checks where the packs ship them; reports description files that do not exist. */
function resolveFiles(steps: readonly Step[], isGraph: boolean, compilation: Compilation): Step[] {
  return steps.map((step) => {
    if (step.descriptionFile !== undefined) reportMissing(step, step.descriptionFile, isGraph, compilation)
    if (step.descriptionFile === undefined && !step.check && step.children.length === 0) return step
    return {
      ...step,
      descriptionFile: undefined,
      check: step.check && resolveScript(step, step.check, compilation),
      children: step.children.length > 0 ? resolveFiles(step.children, isGraph, compilation) : step.children,
    }
  })
}

function reportMissing(step: Step, path: string, isGraph: boolean, compilation: Compilation): void {
  const message = `description_file "${path}" is not there: it is looked for beside the formula, and ../assets/ in every pack`
  if (isGraph) compilation.problem(step.place, message, step.id)
  else compilation.warn(step.place, message, step.id)
}

function resolveScript(step: Step, check: NonNullable<Step['check']>, compilation: Compilation): Step['check'] {
  const { verdict } = check
  if (verdict.kind !== 'exec' || !verdict.path.startsWith(ASSETS)) return check
  const asset = compilation.files.asset(step.place.file, verdict.path)
  if (asset) return { ...check, verdict: { ...verdict, path: asset.file } }
  compilation.problem(step.place, `check.check.path "${verdict.path}" is not in the assets of any pack`, step.id)
  return check
}
