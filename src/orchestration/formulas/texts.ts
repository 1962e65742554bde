import { basename } from 'node:path'
import type { Compilation } from './compilation.ts'
import type { Step } from './formula.ts'
import { PLACEHOLDER } from './placeholders.ts'

/** The longest description that is copied from its file. */
const MAX_DESCRIPTION = 4096
const ASSETS = '../assets/'

/** Steps with the descriptions of their files, and with the scripts of their checks where the packs ship them. */
export function resolveFiles(steps: readonly Step[], isGraph: boolean, compilation: Compilation): Step[] {
  return steps.map((step) => ({
    ...step,
    ...(step.descriptionFile !== undefined && describe(step, step.descriptionFile, isGraph, compilation)),
    check: step.check && resolveScript(step, step.check, compilation),
    children: step.children.length > 0 ? resolveFiles(step.children, isGraph, compilation) : step.children,
  }))
}

function describe(step: Step, path: string, isGraph: boolean, compilation: Compilation): Partial<Step> {
  const asset = compilation.files.asset(step.place.file, path)
  if (!asset) {
    const message = `description_file "${path}" is not there: it is looked for beside the formula, and ../assets/ in every pack`
    if (isGraph) compilation.problem(step.place, message, step.id)
    else compilation.warn(step.place, message, step.id)
    return { descriptionFile: undefined }
  }
  const bytes = Buffer.byteLength(asset.text)
  if (bytes <= MAX_DESCRIPTION) return { description: asset.text, descriptionFile: undefined }
  const variables = Object.keys(compilation.values).filter((name) => PLACEHOLDER.test(`{{${name}}}`))
  const lines = [
    `Read ${asset.file} (${basename(path)}, ${bytes} bytes): it says what to do in this step.`,
    ...(variables.length > 0 ? ['', 'In it these variables stand for:', ''] : []),
    ...variables.sort().map((name) => `${name}="{{${name}}}"`),
  ]
  return { description: lines.join('\n'), descriptionFile: undefined }
}

function resolveScript(step: Step, check: NonNullable<Step['check']>, compilation: Compilation): Step['check'] {
  const { verdict } = check
  if (verdict.kind !== 'exec' || !verdict.path.startsWith(ASSETS)) return check
  const asset = compilation.files.asset(step.place.file, verdict.path)
  if (asset) return { ...check, verdict: { ...verdict, path: asset.file } }
  compilation.problem(step.place, `check.check.path "${verdict.path}" is not in the assets of any pack`, step.id)
  return check
}
