import type { JsonOption } from '../context/options.ts'

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
  dryRun?: true
  scopeKind?: string
  scopeRef?: string
}
