import { WorkflowKey } from '../../work/metadata.ts'

/**
 * Compiled formula: the initial graph of beads of a run, and everything its engine needs later. It is
 * plain JSON and complete: a run continues with the recipe it was started from, whatever becomes of the files.
 *
 * Its texts still hold `{{variables}}`; {@link Substituted} ones do not.
 */
export interface Recipe {
  readonly version: 1
  /** The formula's name. */
  readonly formula: string
  readonly description: string
  readonly contract: 'v1' | 'v2'
  /**
   * Form of its beads: `graph` writes root and steps and is run by the engine, `molecule` writes root and steps, `wisp`
   * writes its root only, though the recipe lists the steps.
   */
  readonly shape: 'graph' | 'molecule' | 'wisp'
  /** As written, unchecked: usually `liquid` or `vapor`. */
  readonly phase?: string
  readonly pour: boolean
  readonly variables: RecipeVariables
  readonly source: RecipeSource
  /** Requirements, its own and inherited: `formula_compiler >=2.0.0`. */
  readonly requirements: readonly string[]
  /** The formula's `[metadata]`, merged with that of its parents; absent when there is none. */
  readonly metadata?: JsonTable
  readonly root: RecipeRoot
  /** In order: for v2 each step after those it depends on. */
  readonly steps: readonly RecipeStep[]
  readonly deps: readonly RecipeDependency[]
  /** Expansions of its fan-outs, by the name of the `bond` formula. */
  readonly bonds: Readonly<Record<string, Bond>>
  /** Formulas of its drains for each member, by the name of the item formula. */
  readonly items: Readonly<Record<string, Recipe>>
  /** Keys accepted without effect. */
  readonly warnings: readonly FormulaMessage[]
}

export interface RecipeVariables {
  /** Sorted by name. */
  readonly definitions: readonly VariableDefinition[]
  /** The values active: defaults under what the caller gave. A required one that is missing has none. */
  readonly values: Readonly<Record<string, string>>
}

export interface VariableDefinition {
  readonly name: string
  /** Free text, never checked; `string` when the formula does not say. */
  readonly type: string
  readonly description?: string
  readonly default?: string
  readonly required?: boolean
  readonly enum?: readonly string[]
  /** A regular expression in RE2's syntax. */
  readonly pattern?: string
}

export interface RecipeSource {
  /** Absolute. */
  readonly file: string
  /** The formula folder it was read from, absolute. */
  readonly layer: string
  /** SHA-256 of the file, in hex: `gc.formula_hash`. */
  readonly hash: string
}

/** Any JSON without null. */
export type JsonValue = string | number | boolean | readonly JsonValue[] | JsonTable
export type JsonTable = { readonly [key: string]: JsonValue }

/** Its id as a step is the formula's name. */
export interface RecipeRoot {
  readonly title: string
  readonly description: string
  /** `molecule`, or `task` for a graph and a wisp. */
  readonly type: 'molecule' | 'task'
  readonly priority: number
  /** `gc.kind`, `gc.formula_contract`, `gc.formula_name` and the like, and the plain values of the formula's `[metadata]`. */
  readonly metadata: Readonly<Record<string, string>>
}

export interface RecipeStep {
  /** The recipe id, unique in the recipe: `<formula>.<ref>`. `gc.step_ref` unless the metadata hold another. */
  readonly id: string
  /** Its id in the formula: `work`, `work.iteration.1`, `layers.layer-a`. */
  readonly ref: string
  readonly title: string
  readonly description?: string
  readonly notes?: string
  /** As written; `task` by default, `epic` for one with children, `gate`, `spec`. A v1 `task` is written as `step`. */
  readonly type: string
  /** `gc.kind`, else undefined. */
  readonly kind?: string
  readonly priority?: number
  readonly labels: readonly string[]
  readonly assignee?: string
  readonly metadata: Readonly<Record<string, string>>
  /** The recipe id of the step it is a child of; absent for a child of the root. v2 writes no parents. */
  readonly parent?: string
  /** Condition of a `gate` step. */
  readonly gate?: Gate
  /** Step that later attempts of a `spec` step copy. Its description is this as JSON. */
  readonly spec?: StepSpec
}

/** The id of a step as a run shows it. */
export const stepIdOf = ({ id, metadata }: RecipeStep): string => metadata[WorkflowKey.stepId] ?? id

export interface Gate {
  /** `human`, `timer`, `gh:run`, `gh:pr`, or whatever the formula says. */
  readonly type: string
  readonly id?: string
  readonly timeout?: string
}

/** `to` waits for `from`. Edges between parents and children are `RecipeStep.parent`. */
export interface RecipeDependency {
  /** A recipe id: the prerequisite. */
  readonly from: string
  /** A recipe id; the formula's name for the root. */
  readonly to: string
  readonly kind: 'blocks' | 'waits-for'
  /** `{"gate":"all-children"}` of a waits-for. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A step as a formula writes it, with the formula's own keys: what spec beads hold. */
export interface StepSpec {
  readonly id: string
  readonly title: string
  readonly description?: string
  readonly notes?: string
  readonly type?: string
  readonly priority?: number
  readonly tags?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly needs?: readonly string[]
  readonly assignee?: string
  readonly waits_for?: string
  readonly gate?: Gate
  readonly children?: readonly StepSpec[]
  readonly timeout?: string
  readonly ralph?: CheckSpec
  readonly retry?: RetrySpec
  readonly on_complete?: FanOutSpec
  readonly drain?: DrainSpec
  /** Kind of an extension: see {@link EXTENSION_KINDS}. */
  readonly until?: UntilSpec
  readonly condition?: string
  /** Conditions on variables, of the steps of a bond only: all must hold for the step to exist. */
  readonly when?: readonly string[]
  readonly block_on_failure?: boolean
}

export interface CheckSpec {
  readonly max_attempts: number
  readonly check: { readonly mode: 'exec'; readonly path: string; readonly timeout?: string }
}

export interface RetrySpec {
  readonly max_attempts: number
  readonly on_exhausted?: 'hard_fail' | 'soft_fail'
}

export interface FanOutSpec {
  readonly for_each: string
  readonly bond: string
  readonly vars?: Readonly<Record<string, string>>
  readonly parallel?: boolean
  readonly sequential?: boolean
}

export interface DrainSpec {
  readonly context: 'separate' | 'shared'
  readonly formula: string
  readonly member_access?: 'read' | 'exclusive'
  readonly max_units?: number
  readonly on_item_failure?: 'continue' | 'skip_remaining'
  readonly continuation_group?: string
  readonly item?: { readonly single_lane: boolean }
}

export interface UntilSpec {
  readonly condition: string
  readonly max: number
}

/**
 * Control steps of gc's own, in formulas with `[requires] gc_extensions = ">=1.0.0"` only:
 *
 * - `until` is a loop that continues until `gc.condition` holds. It is a check with children whose verdict is the condition:
 *   `L` needs `L.iteration.1`, a scope body whose members are the loop's body. The condition is about the member
 *   `<control>.iteration.<N>.<gc.condition_step>`; `parseStateCondition` and `evaluate` of conditions.ts judge it.
 *   `gc.max_attempts` iterations at most, then outcome fail. Later ones come from `expandAttempt`.
 * - `condition` stands before a step: `S-condition` takes over what S needs, and S needs it. `gc.control_for` is the id of
 *   S, `gc.condition_step` the recipe id of the step that `gc.condition` is about. When it is ready and the condition
 *   holds it closes, and S becomes ready; else S, and all that is made of it, closes as skipped.
 * - `failure-guard` stands behind a step with `block_on_failure = true`: anyone who needs S needs `S-guard`. It closes when S
 *   has passed or was skipped; when S failed it stays open until a person retries or skips S.
 */
export const EXTENSION_KINDS = ['until', 'condition', 'failure-guard'] as const

/** Expansion of a fan-out for each item: the template of the `bond` formula, or the reason there is none. */
export type Bond =
  | { readonly formula: string; readonly variables: readonly VariableDefinition[]; readonly steps: readonly StepSpec[] }
  | { readonly error: string }

/** Steps that are added to a run while it continues. */
export interface Fragment {
  readonly steps: readonly RecipeStep[]
  readonly deps: readonly RecipeDependency[]
  /** The recipe ids that nothing in the fragment waits for. */
  readonly sinks: readonly string[]
}

/** A place in a formula file, and what is wrong there. */
export interface FormulaMessage {
  /** Absolute. */
  readonly file: string
  readonly line: number
  /** The id of the step, as written. */
  readonly step?: string
  readonly message: string
}

export type CompileResult =
  | {
      readonly recipe: Recipe
      /** The variables that it knows: those it declares, and those that its texts, templates and drains name. */
      readonly known: readonly string[]
    }
  | {
      /** `missing` when there is no such formula, `not-workflow` for an expansion or aspect, else `invalid`. */
      readonly reason: 'missing' | 'not-workflow' | 'invalid'
      /** The file of the formula, absolute; the highest formula folder when it is missing. */
      readonly file: string
      /** Each once; those of other files that it is made of are among them. */
      readonly errors: readonly FormulaMessage[]
    }

/** A recipe or fragment whose texts hold values, or the sentences that say why it cannot have them. */
export type Substituted<Part> = { readonly value: Part } | { readonly errors: readonly string[] }

/*
 * Functions over it, in the files beside this one:
 *
 * compile(files: FormulaFiles, name: string, variables: Record<string, string>): CompileResult      compile.ts
 * validateVariables(recipe: Recipe): string[]                                                        variables.ts
 *   required, enum and pattern over the values in force: one sentence each
 * substitute(recipe: Recipe, extra?: Record<string, string>): Substituted<Recipe>                   substitute.ts
 *   `extra` are what the launch adds (`convoy_id`, `issue`); a title that is left with a `{{variable}}` is an error
 * expandAttempt({ spec, controlRef, controlId, attempt }): Fragment                                  attempts.ts
 *   the attempt or iteration N ≥ 2 of a retry, check or until; `controlRef` is the recipe id of the control, `controlId`
 *   its bead's id
 * expandFragment(recipe, { bond, sourceRef, title, description, vars, item, index }): Substituted<Fragment>  fan-out.ts
 *   item `index` (from 0) of a fan-out: ids `<bond>.<sourceRef>.item.<index + 1>.<rest>`
 */
