import { miscountsOf } from '../../support/miscounts.ts'
import { toToml } from './grammar.ts'
import { drawProgram, openModel, play } from './play.ts'
import { shrink } from './shrink.ts'

/** Number of runs in one city. */
const EACH = 50

/** Plays so many random formulas; throws with the smallest formula found that does not go by the rules. */
export async function checkRuns(firstSeed: number, count: number): Promise<void> {
  for (let from = 0; from < count; from += EACH) {
    await using work = await openModel()
    for (let at = from; at < Math.min(from + EACH, count); at++) {
      const seed = firstSeed + at
      const program = drawProgram(seed)
      const difference = await play(work, seed, program)
      if (!difference) continue
      const [smallest, found] = await shrink(seed, program, difference)
      const files = [smallest.formula, ...Object.values(smallest.bonds), ...Object.values(smallest.units)]
        .map(toToml)
        .join('\n')
      throw new Error(`seed ${seed}:\n${files}\n${JSON.stringify(found, null, 1)}`)
    }
    const miscounts = miscountsOf(work.store)()
    if (miscounts.length > 0) throw new Error(`after seeds from ${firstSeed + from}: ${JSON.stringify(miscounts)}`)
  }
}
