import type { Recipe, RecipeStep, VariableDefinition } from './recipe.ts'
import type { FormulaDetailResponse } from './schema.ts'

/** Control steps that nobody has to know of to understand a formula. */
const HIDDEN = ['spec', 'scope-check', 'workflow-finalize']

/** A recipe as clients are shown it. */
export function toDetail({ formula, description, variables, steps, deps }: Recipe): FormulaDetailResponse {
  const shown = steps.filter(({ kind }) => !HIDDEN.includes(kind ?? ''))
  const ids = new Set(shown.map(({ id }) => id))
  const edges = deps
    .filter(({ from, to }) => ids.has(from) && ids.has(to))
    .map(({ from, to, kind }) => ({ from, to, kind }))
  return {
    ...{ name: formula, description, var_defs: variables.definitions.map(toVarDef) },
    ...{ steps: shown.map(toStep), deps: edges },
    preview: { nodes: shown.map(toNode), edges },
  }
}

export const toVarDef = ({ enum: values, ...definition }: VariableDefinition) => ({
  ...definition,
  ...(values && { enum: [...values] }),
})

const kindOf = ({ kind, type }: RecipeStep): string => kind ?? type

const toStep = (step: RecipeStep) => ({
  ...{ id: step.id, title: step.title, kind: kindOf(step), type: step.type },
  ...(step.assignee !== undefined && { assignee: step.assignee }),
  ...(step.labels.length > 0 && { labels: [...step.labels] }),
  ...(Object.keys(step.metadata).length > 0 && { metadata: { ...step.metadata } }),
})

const toNode = (step: RecipeStep) => {
  const scope = step.metadata['gc.scope_ref']
  return { id: step.id, title: step.title, kind: kindOf(step), ...(scope !== undefined && { scope_ref: scope }) }
}
