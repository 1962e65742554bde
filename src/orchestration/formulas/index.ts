export { expandAttempt } from './attempts.ts'
export { evaluate, parseStateCondition, type StepState } from './conditions.ts'
export { toDetail } from './detail.ts'
export { expandFragment } from './fan-out.ts'
export { FormulaLibrary } from './formula-library.ts'
export { Formulas } from './formulas.ts'
export { briefErrors } from './messages.ts'
export {
  type CompileResult,
  type Fragment,
  type Recipe,
  type RecipeDependency,
  type RecipeStep,
  type StepSpec,
  stepIdOf,
} from './recipe.ts'
export { formulaRoutes } from './routes.ts'
export {
  type CompiledFormula,
  FormulaFeedBody,
  FormulaFeedQuery,
  type FormulaRecentRunResponse,
  type FormulaReports,
  FormulaRunsQuery,
  FormulaRunsResponse,
  MonitorFeedItemResponse,
} from './schema.ts'
export { ofRig, requireScope } from './scope.ts'
export { substitute } from './substitute.ts'
export { assigneeOf, findStepTarget, isPool, type RouteTarget, resolveTarget, type Target } from './target.ts'
export { unknownVariables, validateVariables } from './variables.ts'
