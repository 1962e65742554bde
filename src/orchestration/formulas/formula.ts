import type { DrainSpec, FanOutSpec, FormulaMessage, Gate, JsonTable, RetrySpec, VariableDefinition } from './recipe.ts'

/** Source position. */
export interface Place {
  /** Absolute. */
  readonly file: string
  readonly line: number
}

/** A formula as its file says it. */
export interface Formula {
  readonly name: string
  readonly place: Place
  /** The formula folder it lies in, absolute. */
  readonly layer: string
  readonly hash: string
  readonly description: string
  readonly type: 'workflow' | 'expansion' | 'aspect'
  readonly phase?: string
  readonly pour: boolean
  readonly requirements: readonly Requirement[]
  readonly extends: readonly Named[]
  readonly variables: ReadonlyMap<string, Variable>
  readonly steps: readonly Step[]
  readonly template: readonly Step[]
  readonly compose: Compose
  readonly advice: readonly Advice[]
  readonly pointcuts: readonly Pointcut[]
  /** Any TOML, for anyone who reads the formula. */
  readonly metadata: JsonTable
  /** The variables that its texts name, declared or not. */
  readonly mentions: ReadonlySet<string>
  readonly catalog?: { readonly name: string; readonly description: string }
}

export type ParsedFormula = { readonly formula: Formula } | { readonly errors: readonly FormulaMessage[] }

/** A name, and where it is written. */
export interface Named {
  readonly name: string
  readonly place: Place
}

export interface Requirement {
  readonly axis: 'formula_compiler' | 'gc_extensions'
  /** `>=2.0.0` */
  readonly constraint: string
  readonly place: Place
}

export interface Variable {
  readonly definition: VariableDefinition
  readonly place: Place
}

/**
 * A step on its way from the file to the recipe. What is written in a loop, a template or a check belongs to one round of
 * it, and gets ids that begin with a prefix.
 */
export interface Step {
  readonly place: Place
  readonly id: string
  /** The part of the id that a round put before it. */
  readonly prefix?: string
  readonly title: string
  readonly description?: string
  readonly descriptionFile?: string
  readonly notes?: string
  readonly type?: string
  readonly priority?: number
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly needs: readonly string[]
  /** All must hold for the step to exist. */
  readonly conditions: readonly string[]
  /** Must hold when the step is about to begin. */
  readonly runCondition?: string
  readonly children: readonly Step[]
  readonly assignee?: string
  readonly expand?: string
  readonly expandVars: Readonly<Record<string, string>>
  readonly loop?: Loop
  readonly waitsFor?: string
  readonly gate?: Gate
  readonly check?: Check
  readonly retry?: RetrySpec
  readonly drain?: DrainSpec
  readonly onComplete?: FanOutSpec
  readonly timeout?: string
  readonly blockOnFailure?: boolean
  /** Step that a spec step describes. */
  readonly specOf?: Step
}

/** `steps.check`, or the body of an `until` loop that continues automatically. */
export interface Check {
  readonly maxAttempts: number
  readonly verdict:
    | { readonly kind: 'exec'; readonly path: string; readonly timeout?: string }
    | { readonly kind: 'until'; readonly condition: string }
}

export interface Loop {
  readonly place: Place
  readonly rounds:
    | { readonly kind: 'count'; readonly count: number }
    | { readonly kind: 'range'; readonly range: string }
    | { readonly kind: 'until'; readonly condition: string; readonly max: number }
  readonly variable?: string
  readonly body: readonly Step[]
}

export interface Compose {
  readonly expand: readonly ComposeExpand[]
  readonly map: readonly ComposeExpand[]
  readonly branch: readonly ComposeBranch[]
  readonly gate: readonly { readonly place: Place; readonly before: string; readonly condition: string }[]
  readonly aspects: readonly Named[]
}

/** `compose.expand`, whose target is an id, or `compose.map`, whose target is a glob. */
export interface ComposeExpand {
  readonly place: Place
  readonly target: string
  readonly with: string
  readonly variables: Readonly<Record<string, string>>
}

export interface ComposeBranch {
  readonly place: Place
  readonly from: string
  readonly steps: readonly string[]
  readonly join: string
}

export interface Advice {
  readonly place: Place
  readonly target: string
  readonly before: readonly Step[]
  readonly after: readonly Step[]
}

/** The steps that an aspect is for. */
export interface Pointcut {
  readonly glob?: string
  readonly type?: string
  readonly label?: string
}

export const NO_COMPOSE: Compose = { expand: [], map: [], branch: [], gate: [], aspects: [] }

/** All steps of a tree, each before its children. */
export function* walk(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step
    if (step.children.length > 0) yield* walk(step.children)
  }
}

/** Number of steps of a tree. */
export const countSteps = (steps: readonly Step[]): number =>
  steps.reduce((sum, { children }) => sum + 1 + (children.length > 0 ? countSteps(children) : 0), 0)
