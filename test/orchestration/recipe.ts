import type { Recipe, RecipeDependency, RecipeStep } from '../../src/orchestration/formulas/recipe.ts'

/** A step that is given by its reference, and what else matters of it. */
export type StepDraft = Partial<RecipeStep> & { ref: string; needs?: readonly string[] }

/** A recipe of a formula `line`, as if it had been compiled: a graph, unless `more` says otherwise. */
export function recipeOf(drafts: readonly StepDraft[], more: Partial<Recipe> = {}): Recipe {
  const idOf = (ref: string) => `line.${ref}`
  const steps = drafts.map(({ needs: _, ...draft }) => ({
    ...{ id: idOf(draft.ref), title: draft.ref, type: 'task', labels: [], metadata: {} },
    ...draft,
  }))
  const deps: RecipeDependency[] = drafts.flatMap(({ ref, needs = [] }) =>
    needs.map((need) => ({ from: idOf(need), to: idOf(ref), kind: 'blocks' as const })),
  )
  return {
    ...{ version: 1, formula: 'line', description: 'in line', contract: 'v2', shape: 'graph', pour: false },
    variables: { definitions: [], values: {} },
    source: { file: '/formulas/line.toml', layer: '/formulas', hash: 'abc' },
    requirements: [],
    root: { title: 'line', description: 'in line', type: 'task', priority: 2, metadata: { 'gc.kind': 'workflow' } },
    ...{ steps, deps, bonds: {}, items: {}, warnings: [] },
    ...more,
  }
}
