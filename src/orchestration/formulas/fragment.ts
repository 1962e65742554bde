import { withScopeChecks } from './controls.ts'
import { flatten, recipeParts } from './flatten.ts'
import type { Step } from './formula.ts'
import { inOrder } from './order.ts'
import type { Fragment } from './recipe.ts'

/** Steps that are added to a run, in order; their ids are recipe ids already unless there is a formula to put before. */
export function fragmentOf(steps: readonly Step[], formula: string): Fragment {
  const parts = recipeParts(withScopeChecks(flatten(steps, true)), { formula, isGraph: true })
  const order = inOrder(parts.steps, parts.deps)
  const waited = new Set(parts.deps.map(({ from }) => from))
  const sinks = parts.steps.filter(({ id, kind }) => !waited.has(id) && kind !== 'spec').map(({ id }) => id)
  return { steps: 'cycle' in order ? parts.steps : order.steps, deps: parts.deps, sinks }
}
