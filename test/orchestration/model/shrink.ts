import type { StepText } from './grammar.ts'
import { type Difference, openModel, play } from './play.ts'
import type { Program } from './random.ts'

/** How often a smaller formula is tried. */
const MAX_TRIES = 300

/** The smallest formula found that still differs, and how. */
export async function shrink(seed: number, program: Program, found: Difference): Promise<[Program, Difference]> {
  let smallest: [Program, Difference] = [program, found]
  let tries = 0
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const smaller of smallerThan(smallest[0])) {
      if (++tries > MAX_TRIES) return smallest
      const difference = await differenceOf(seed, smaller)
      if (!difference) continue
      smallest = [smaller, difference]
      isSmaller = true
      break
    }
  }
  return smallest
}

/** How a formula differs in a city of its own; undefined when it does not, or cannot be run. */
async function differenceOf(seed: number, program: Program): Promise<Difference | undefined> {
  await using work = await openModel()
  return await play(work, seed, program).catch(() => undefined)
}

/** Formulas with a step less, or a step with less to it. */
function* smallerThan({ formula, bonds }: Program): Generator<Program> {
  for (const steps of fewer(formula.steps ?? [])) yield { formula: { ...formula, steps }, bonds }
  for (const [name, bond] of Object.entries(bonds)) {
    for (const template of fewer(bond.template ?? []))
      yield { formula, bonds: { ...bonds, [name]: { ...bond, template } } }
  }
}

function* fewer(steps: readonly StepText[]): Generator<StepText[]> {
  for (const [at, step] of steps.entries()) {
    if (steps.length > 1) {
      yield steps
        .filter((other) => other !== step)
        .map((other) => ({ ...other, needs: (other.needs ?? []).filter((id) => id !== step.id) }))
    }
    for (const less of lesser(step)) yield steps.with(at, less)
  }
}

function* lesser(step: StepText): Generator<StepText> {
  for (const key of [
    'condition',
    'block_on_failure',
    'retry',
    'check',
    'on_complete',
    'gate',
    'loop',
    'children',
  ] as const) {
    const { [key]: removed, ...rest } = step
    if (removed !== undefined && !(key === 'check' && step.children)) yield rest
  }
  for (const need of step.needs ?? []) yield { ...step, needs: (step.needs ?? []).filter((id) => id !== need) }
  for (const children of fewer(step.children ?? [])) yield { ...step, children }
  if (step.loop) for (const body of fewer(step.loop.body)) yield { ...step, loop: { ...step.loop, body } }
}
