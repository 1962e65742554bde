import type { Compilation } from './compilation.ts'
import { parseStateCondition, STATE_FORMS } from './conditions.ts'
import { type Formula, type Step, walk } from './formula.ts'
import { graphConstruct } from './step-rules.ts'

/** Variables that the launch of a graph gives. */
const RESERVED = ['convoy_id', 'bead_id']
const RESERVED_FOR_CALLERS = [...RESERVED, 'issue']

/** A graph neither declares nor takes the variables that its launch gives. */
export function checkVariables(
  { variables, place }: Formula,
  given: Readonly<Record<string, string>>,
  graph: boolean,
  compilation: Compilation,
): void {
  if (!graph) return
  for (const name of RESERVED) {
    const declared = variables.get(name)
    if (declared) compilation.problem(declared.place, `vars.${name} is given by gc to a graph: it cannot be declared`)
  }
  for (const name of RESERVED_FOR_CALLERS) {
    if (Object.hasOwn(given, name)) {
      compilation.problem(place, `the variable "${name}" is given by gc to a graph: it cannot be supplied`)
    }
  }
}

/** Only a graph may have what an engine has to run. */
export function checkGraph(steps: readonly Step[], graph: boolean, compilation: Compilation): void {
  if (graph) return
  for (const step of walk(steps)) {
    const construct = graphConstruct(step)
    if (construct) {
      const message = `${construct} needs a graph: declare [requires] formula_compiler = ">=2.0.0"`
      compilation.problem(step.place, message, step.id)
    }
  }
}

/** Conditions on the state of steps must be such, and name a step that is over before they are judged. */
export function checkConditions(steps: readonly Step[], compilation: Compilation): void {
  for (const step of walk(steps)) {
    if (step.runCondition !== undefined && !parseStateCondition(step.runCondition)) {
      const message = `condition "${step.runCondition}" is neither one on variables ({{v}}) nor on a step: ${STATE_FORMS}`
      compilation.problem(step.place, message, step.id)
    }
    const verdict = step.check?.verdict
    if (verdict?.kind !== 'until') continue
    const named = parseStateCondition(verdict.condition)?.step
    if (named === undefined) {
      const message = `loop.until "${verdict.condition}" cannot be evaluated: write ${STATE_FORMS}`
      compilation.problem(step.place, message, step.id)
    } else if (named !== 'step' && !step.children.some(({ id }) => id === named)) {
      compilation.problem(step.place, `loop.until names "${named}", and there is no such step in the loop`, step.id)
    }
  }
}
