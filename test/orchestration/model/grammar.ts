/** A formula as its file says it, with the keys of the file. */
export interface FormulaText {
  formula: string
  type?: 'expansion'
  requires: { formula_compiler: string; gc_extensions?: string }
  vars?: Record<string, string>
  steps?: StepText[]
  template?: StepText[]
}

export interface StepText {
  id: string
  title: string
  needs?: string[]
  /** On variables, or on the state of another step. */
  condition?: string
  block_on_failure?: boolean
  metadata?: Record<string, string>
  retry?: { max_attempts: number; on_exhausted?: string }
  check?: { max_attempts: number; check: { path: string } }
  on_complete?: { for_each: string; bond: string; parallel?: boolean; sequential?: boolean }
  gate?: { type: string }
  loop?: { count?: number; range?: string; until?: string; max?: number; body: StepText[] }
  drain?: DrainText
  children?: StepText[]
}

export interface DrainText {
  formula: string
  context: 'separate' | 'shared'
  member_access?: 'read' | 'exclusive'
  max_units?: number
  on_item_failure?: 'continue' | 'skip_remaining'
  item?: { single_lane: boolean }
}

/** A formula, those that its fan-outs and drains name, and the convoy that a run of it is for. */
export interface Program {
  formula: FormulaText
  bonds: Record<string, FormulaText>
  units: Record<string, FormulaText>
  members: Member[]
}

/** A bead of the convoy: it waits for those that it needs, which come before it. */
export interface Member {
  name: string
  needs: string[]
}

/** Report of a worker on a closed step. */
export interface Report {
  outcome?: 'pass' | 'fail'
  failureClass?: 'transient' | 'hard'
  reason?: string
  /** Number of items in its output; without a number its output is not JSON. */
  items?: number | 'broken'
}

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** A formula as a TOML file. */
export const toToml = (formula: FormulaText): string =>
  Object.entries(formula)
    .map(([key, value]) => `${key} = ${inline(value)}\n`)
    .join('')

function inline(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} = ${inline(each)}`)
  return `{ ${entries.join(', ')} }`
}
