import { WorkflowKey } from '../../work/metadata.ts'
import type { Recipe, RecipeStep, VariableDefinition } from './recipe.ts'
import type { CompiledFormula, FormulaDetailResponse } from './schema.ts'

/** Control steps that no one has to know of to understand a formula. */
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
  const scope = step.metadata[WorkflowKey.scopeRef]
  return { id: step.id, title: step.title, kind: kindOf(step), ...(scope !== undefined && { scope_ref: scope }) }
}

/** All of a recipe, controls and specs as well. */
export function toCompiled(recipe: Recipe, searchPaths: readonly string[]): CompiledFormula {
  const { formula, description, contract, shape, source, metadata, variables, root, steps, deps, warnings } = recipe
  return {
    ...{ name: formula, description, contract, shape, source: source.file, hash: source.hash },
    ...(metadata && { metadata }),
    ...{ search_paths: [...searchPaths], vars: variables.definitions.map(toVarDef) },
    steps: [{ ...root, id: formula, is_root: true }, ...steps.map(toCompiledStep)],
    deps: [
      ...steps.flatMap(({ id, parent }) =>
        contract === 'v2' ? [] : [{ step_id: id, depends_on_id: parent ?? formula, type: 'parent-child' }],
      ),
      ...deps.map(({ from, to, kind }) => ({ step_id: to, depends_on_id: from, type: kind })),
    ],
    warnings: [...warnings],
  }
}

const toCompiledStep = ({ id, title, description, notes, type, priority, labels, assignee, metadata }: RecipeStep) => ({
  ...{ id, title, ...(description !== undefined && { description }), ...(notes !== undefined && { notes }), type },
  ...(priority !== undefined && { priority }),
  ...(labels.length > 0 && { labels: [...labels] }),
  ...(assignee !== undefined && { assignee }),
  ...(Object.keys(metadata).length > 0 && { metadata: { ...metadata } }),
})
