import { basename } from 'node:path'
import type { Compose, Formula, Named, Place, Requirement, Step } from './formula.ts'
import { type Asset, type FormulaFiles, missingFormula } from './formula-files.ts'
import { openVariables } from './placeholders.ts'
import { TooSlow } from './quick.ts'
import { Problems } from './reader.ts'
import type { FormulaMessage, JsonTable, JsonValue } from './recipe.ts'
import { uniqueRequirements } from './requirements.ts'

/** The most steps that a formula may come to, controls included. */
export const MAX_STEPS = 100_000
/** The most edges between them. */
export const MAX_EDGES = 1_000_000
/** The most characters that they may hold together. */
const MAX_TEXT = 64 * 1024 * 1024

/** A formula that has grown beyond what can be compiled. */
export class TooLarge extends Error {
  constructor(
    readonly place: Place,
    message: string,
  ) {
    super(message)
  }
}

/** State shared by the stages of compiling one formula. */
export class Compilation {
  readonly problems = new Problems()
  readonly warnings: FormulaMessage[] = []
  readonly requirements: Requirement[] = []
  /** The variables that the texts of the formulas name, and those of its ranges. */
  readonly mentions = new Set<string>()
  /** Steps that became several: the ids that their needs are now those of, and the ids to wait for instead of them. */
  readonly starts = new Map<string, readonly string[]>()
  readonly ends = new Map<string, readonly string[]>()
  /** Steps that a condition left out. */
  readonly excluded = new Set<string>()
  /** Contents of ranges that lack a variable's value. */
  readonly openRanges: FormulaMessage[] = []
  readonly #inherited = new Map<string, Formula | undefined>()
  #text = 0
  #written = 0

  constructor(
    readonly files: FormulaFiles,
    /** The values active. */
    readonly values: Readonly<Record<string, string>>,
  ) {}

  problem(place: Place, message: string, step?: string): void {
    this.problems.add(place, message, step)
  }

  warn(place: Place, message: string, step?: string): void {
    const { file, line } = place
    this.warnings.push({ file, line, ...(step !== undefined && { step }), message })
  }

  /** A formula that another names, with what it inherits; undefined, and a problem, when it cannot be used. */
  formula({ name, place }: Named, type: Formula['type']): Formula | undefined {
    const formula = withParents(this.files, { name, place }, this.problems, this.#inherited)
    if (!formula) return undefined
    if (formula.type !== type) {
      const article = type === 'workflow' ? 'a' : 'an'
      this.problem(
        place,
        `"${name}" is not ${article} ${type}: only ${article} formula with type = "${type}" can be used here`,
      )
      return undefined
    }
    this.requirements.push(...formula.requirements)
    for (const variable of formula.mentions) this.mentions.add(variable)
    return formula
  }

  /** Throws when a formula comes to too many steps. */
  limitSteps(place: Place, count: number): void {
    if (count > MAX_STEPS) throw new TooLarge(place, `this comes to ${count} steps: ${MAX_STEPS} is the most`)
    this.#checkQuick(count)
  }

  #checkQuick(steps: number): void {
    if (steps > (this.files.maxQuickSteps ?? steps)) throw new TooSlow(`${steps} steps`)
  }

  /** Throws when the texts that are written again for each round come to too much. */
  addText(step: Step): void {
    this.#checkQuick(++this.#written)
    this.#text += step.title.length + (step.description?.length ?? 0)
    if (this.#text > MAX_TEXT) {
      throw new TooLarge(step.place, `the texts of its steps come to more than ${MAX_TEXT / 1024 / 1024} MB`)
    }
  }

  /** Steps to wait for in place of steps that became several. */
  endsOf(needs: readonly string[]): readonly string[] {
    if (!needs.some((id) => this.ends.has(id))) return needs.length < 2 ? needs : [...new Set(needs)]
    return [...new Set(needs.flatMap((id) => this.#partsOf(this.ends, id)))]
  }

  /** The steps that a step became, which wait for nothing among themselves. */
  startsOf(id: string): string[] {
    return this.#partsOf(this.starts, id)
  }

  #partsOf(parts: ReadonlyMap<string, readonly string[]>, id: string): string[] {
    return (parts.get(id) ?? [])
      .flatMap((part) => (part === id ? [id] : this.#partsOf(parts, part)))
      .concat(parts.has(id) ? [] : [id])
  }
}

/** A formula with what it inherits; undefined, and a problem, when it or a parent cannot be read. */
function withParents(
  files: FormulaFiles,
  { name, place }: Named,
  problems: Problems,
  /** Steps read before. */
  inherited: Map<string, Formula | undefined>,
  stack: readonly string[] = [],
): Formula | undefined {
  if (inherited.has(name)) return inherited.get(name)
  const formula = inherit(files, { name, place }, problems, inherited, stack)
  inherited.set(name, formula)
  return formula
}

function inherit(
  files: FormulaFiles,
  { name, place }: Named,
  problems: Problems,
  inherited: Map<string, Formula | undefined>,
  stack: readonly string[],
): Formula | undefined {
  if (stack.includes(name)) {
    problems.add(place, `formulas extend each other in a circle: ${[...stack, name].join(' → ')}`)
    return undefined
  }
  const parsed = files.formula(name)
  if (!parsed) {
    problems.add(place, missingFormula(files, name))
    return undefined
  }
  if ('errors' in parsed) {
    problems.list.push(...parsed.errors)
    return undefined
  }
  const formula = readDescriptions(parsed.formula, files)
  if (formula.extends.length === 0) return formula
  const parents = formula.extends.map((parent) => withParents(files, parent, problems, inherited, [...stack, name]))
  const read = parents.filter((parent) => parent !== undefined)
  if (read.length < parents.length) return undefined
  const [first, ...others] = [...read, formula]
  return first && others.reduce(merge, first)
}

/** A formula over another one. What the lower one advises is its own affair. */
function merge(base: Formula, formula: Formula): Formula {
  return {
    ...formula,
    ...{ phase: formula.phase ?? base.phase, pour: formula.pour || base.pour },
    requirements: uniqueRequirements([...base.requirements, ...formula.requirements]),
    variables: new Map([...base.variables, ...formula.variables]),
    steps: mergeSteps(base.steps, formula.steps),
    template: mergeSteps(base.template, formula.template),
    compose: mergeCompose(base.compose, formula.compose),
    mentions: base.mentions.union(formula.mentions),
    metadata: mergeTables(base.metadata, formula.metadata),
  }
}

/** A step of the same id takes the place of the lower one, whole; new ones come after. */
function mergeSteps(base: readonly Step[], own: readonly Step[]): Step[] {
  const byId = new Map(own.map((step) => [step.id, step]))
  const ids = new Set(base.map(({ id }) => id))
  return [...base.map((step) => byId.get(step.id) ?? step), ...own.filter(({ id }) => !ids.has(id))]
}

/** A table over another one: tables in both are merged, every other value replaces the lower one. */
function mergeTables(base: JsonTable, own: JsonTable): JsonTable {
  const merged = Object.entries(own).map(([key, value]) => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined
    return [key, isTable(below) && isTable(value) ? mergeTables(below, value) : value] as const
  })
  return { ...base, ...Object.fromEntries(merged) }
}

const isTable = (value: JsonValue | undefined): value is JsonTable => typeof value === 'object' && !Array.isArray(value)

const mergeCompose = (base: Compose, own: Compose): Compose => ({
  expand: [...base.expand, ...own.expand],
  map: [...base.map, ...own.map],
  branch: [...base.branch, ...own.branch],
  gate: [...base.gate, ...own.gate],
  aspects: [...base.aspects, ...own.aspects],
})

/** Maximum size of a description that is copied from its file, in bytes. */
const MAX_DESCRIPTION = 4096

/**
 * A formula whose steps hold the texts of their description files. The files are named as written, since nothing has been
 * substituted yet: `{target}.md` is the name of a file. A step keeps the name of a file that does not exist.
 */
function readDescriptions(formula: Formula, files: FormulaFiles): Formula {
  const mentions = new Set(formula.mentions)
  const read = (steps: readonly Step[]): Step[] =>
    steps.map((step) => {
      const asset = step.descriptionFile === undefined ? undefined : files.asset(step.place.file, step.descriptionFile)
      for (const name of openVariables(asset?.text ?? '')) mentions.add(name)
      if (!asset && step.children.length === 0 && !step.loop) return step
      return {
        ...step,
        ...(asset && { description: descriptionOf(asset, formula), descriptionFile: undefined }),
        ...(step.children.length > 0 && { children: read(step.children) }),
        ...(step.loop && { loop: { ...step.loop, body: read(step.loop.body) } }),
      }
    })
  return {
    ...{ ...formula, mentions },
    ...{ steps: read(formula.steps), template: read(formula.template) },
    advice: formula.advice.map((each) => ({ ...each, before: read(each.before), after: read(each.after) })),
  }
}

/** The text of a description file, or for a long one where to read it and the variables in it. */
function descriptionOf({ file, text }: Asset, { variables }: Formula): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_DESCRIPTION) return text
  const names = [...new Set([...variables.keys(), ...openVariables(text)])].filter(
    (name) => openVariables(`{{${name}}}`).length > 0,
  )
  return [
    `Read ${file} (${basename(file)}, ${bytes} bytes): it says what to do in this step.`,
    ...(names.length > 0 ? ['', 'In it these variables stand for:', ''] : []),
    ...names.sort().map((name) => `${name}="{{${name}}}"`),
  ].join('\n')
}
