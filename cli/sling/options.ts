import type { SlingInputBody } from '../../src/orchestration/runs/index.ts'
import type { JsonOption } from '../context/options.ts'
import { usageError } from '../io/exit.ts'

/** The options of `gc sling`. */
export interface SlingOptions extends JsonOption {
  stdin?: true
  force?: true
  convoy: boolean
  owned?: true
  merge?: string
  reassign?: true
  rig?: string
  formula?: boolean
  on?: string
  title?: string
  var?: Record<string, string>
  target?: string
  nudge?: true
  prompt?: string
  dryRun?: true
  scopeKind?: string
  scopeRef?: string
}

/** The slung bead or formula; undefined for the text of a new bead. */
export function slingBody(
  target: string,
  text: string,
  bead: string | undefined,
  options: SlingOptions,
): SlingInputBody | undefined {
  const body = { target, ...slingFields(options), ...runFields(options) }
  if (options.on) {
    if (!bead) throw usageError('--on runs a formula for a bead: name the bead')
    return { ...body, formula: options.on, attached_bead_id: bead }
  }
  if (options.formula === true) return { ...body, formula: text.trim() }
  return bead === undefined ? undefined : { ...body, bead }
}

/** Parameters of a formula's run. */
export const runFields = ({ title, var: vars, scopeKind, scopeRef }: SlingOptions) => ({
  ...(title && { title }),
  ...(vars && { vars }),
  ...(scopeKind && { scope_kind: scopeKind }),
  ...(scopeRef && { scope_ref: scopeRef }),
})

/** Options of slinging a bead. */
export function slingFields({ force, convoy, owned, merge, reassign, rig, formula }: SlingOptions) {
  return {
    ...(formula === false && { no_formula: true }),
    ...(force && { force }),
    ...(!convoy && { no_convoy: true }),
    ...(owned && { owned }),
    ...(merge && { merge }),
    ...(reassign && { reassign }),
    ...(rig && { rig }),
  }
}
