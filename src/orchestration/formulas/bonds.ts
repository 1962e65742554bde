import type { Compilation } from './compilation.ts'
import { expandInline } from './expand.ts'
import { type Formula, type Loop, type Step, walk } from './formula.ts'
import { missingFormula } from './formula-files.ts'
import { writeOutLoops } from './loops.ts'
import type { Bond } from './recipe.ts'
import { resolveNeeds } from './rounds.ts'
import { toSpec } from './spec.ts'
import { resolveFiles } from './texts.ts'

interface Bonds {
  bonds: Record<string, Bond>
  /** The steps of all of them, as their files say them. */
  templates: Step[]
}

/** What the fan-outs among steps expand into, and the fan-outs in that. */
export function compileBonds(steps: readonly Step[], compilation: Compilation): Bonds {
  const bonds: Record<string, Bond> = {}
  const templates: Step[] = []
  const open = [...walk(steps)]
  for (let step = open.pop(); step; step = open.pop()) {
    if (!step.onComplete) continue
    const { bond: name, vars = {} } = step.onComplete
    const formula = readBond(name, compilation)
    if (typeof formula === 'string') {
      bonds[name] = { error: formula }
      compilation.warn(
        step.place,
        `on_complete.bond "${name}": ${formula}; the fan-out fails when it gets there`,
        step.id,
      )
      continue
    }
    for (const range of rangesOf(formula.template)) {
      const used = Object.keys(vars).find((variable) => range.includes(`{${variable}}`))
      if (used === undefined) continue
      const message = `on_complete.vars.${used} is in a loop.range of "${name}", which is counted before there are items`
      compilation.problem(step.place, message, step.id)
    }
    if (Object.hasOwn(bonds, name)) continue
    const written = resolveNeeds(
      expandInline(writeOutLoops(formula.template, compilation), compilation, 1),
      compilation,
    )
    const template = resolveFiles(written, true, compilation)
    const variables = [...formula.variables.values()].map(({ definition }) => definition)
    bonds[name] = { formula: name, variables, steps: template.map(toSpec) }
    templates.push(...template)
    open.push(...walk(template))
  }
  return { bonds, templates }
}

/** The expansion of a name, or why there is none: items that nobody has yet need not keep a formula from compiling. */
function readBond(name: string, compilation: Compilation): Formula | string {
  const parsed = compilation.files.formula(name)
  if (!parsed) return missingFormula(compilation.files, name)
  if ('errors' in parsed) return `the formula "${name}" cannot be read: ${parsed.errors[0]?.message ?? ''}`
  if (parsed.formula.type !== 'expansion') return `"${name}" is no expansion`
  return compilation.formula({ name, place: parsed.formula.place }, 'expansion') ?? `"${name}" cannot be compiled`
}

const rangesOf = (steps: readonly Step[]): string[] =>
  [...walk(steps)].flatMap(({ loop }) => (loop ? [...rangeOf(loop), ...rangesOf(loop.body)] : []))

const rangeOf = ({ rounds }: Loop): string[] => (rounds.kind === 'range' ? [rounds.range] : [])
