import { withParents } from './extend.ts'
import type { Formula, Named, Place, Requirement, Step } from './formula.ts'
import type { FormulaFiles } from './formula-files.ts'
import { TooSlow } from './quick.ts'
import { Problems } from './reader.ts'
import type { FormulaMessage } from './recipe.ts'

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

/** What is shared by the stages of compiling one formula. */
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
  /** What stands in a range that could not be evaluated for want of a variable's value. */
  readonly openRanges: FormulaMessage[] = []
  readonly #inherited = new Map<string, Formula | undefined>()
  #text = 0
  #written = 0

  constructor(
    readonly files: FormulaFiles,
    /** The values in force. */
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
      this.problem(place, `"${name}" is no ${type}: only ${article} formula with type = "${type}" can be used here`)
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

  /** Throws when the texts that are written anew for each round come to too much. */
  addText(step: Step): void {
    this.#checkQuick(++this.#written)
    this.#text += step.title.length + (step.description?.length ?? 0)
    if (this.#text > MAX_TEXT) {
      throw new TooLarge(step.place, `the texts of its steps come to more than ${MAX_TEXT / 1024 / 1024} MB`)
    }
  }

  /** What to wait for instead of steps that became several. */
  endsOf(needs: readonly string[]): string[] {
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
