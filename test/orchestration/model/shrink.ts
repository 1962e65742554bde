import type { Program, StepText } from './grammar.ts'
import { type Difference, openModel, play } from './play.ts'

/** Maximum attempts with a smaller formula. */
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

/** Difference of a formula in its own city; undefined if there is none, or if it cannot run. */
async function differenceOf(seed: number, program: Program): Promise<Difference | undefined> {
  await using work = await openModel()
  return await play(work, seed, program).catch(() => undefined)
}

/** Formulas with a step less, or a step with less to it, for a convoy with a member less. */
function* smallerThan(program: Program): Generator<Program> {
  const { formula, bonds, units, members } = program
  if (members.length > 0) yield { ...program, members: members.slice(0, -1) }
  for (const steps of fewer(formula.steps ?? [])) yield { ...program, formula: { ...formula, steps } }
  for (const [name, unit] of Object.entries(units)) {
    for (const steps of fewer(unit.steps ?? [])) yield { ...program, units: { ...units, [name]: { ...unit, steps } } }
  }
  for (const [name, bond] of Object.entries(bonds)) {
    for (const template of fewer(bond.template ?? []))
      yield { ...program, bonds: { ...bonds, [name]: { ...bond, template } } }
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
    'drain',
    'children',
  ] as const) {
    const { [key]: removed, ...rest } = step
    if (removed !== undefined && !(key === 'check' && step.children)) yield rest
  }
  for (const need of step.needs ?? []) yield { ...step, needs: (step.needs ?? []).filter((id) => id !== need) }
  for (const children of fewer(step.children ?? [])) yield { ...step, children }
  if (step.loop) for (const body of fewer(step.loop.body)) yield { ...step, loop: { ...step.loop, body } }
}
