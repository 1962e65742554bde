import type { Compilation } from './compilation.ts'
import type { Step } from './formula.ts'

const ASSETS = '../assets/'

/** Steps with the scripts of their checks where the packs ship them; reports description files that do not exist. */
export function resolveFiles(steps: readonly Step[], isGraph: boolean, compilation: Compilation): Step[] {
  return steps.map((step) => {
    if (step.descriptionFile !== undefined) reportMissing(step, step.descriptionFile, isGraph, compilation)
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
