import type { CityClient } from '../../src/client/client.ts'
import { countOf } from '../../src/client/text.ts'
import { bad, type Check, type CheckResult, ok } from './result.ts'

interface Wrong {
  readonly counter: string
  readonly id: string
  readonly stored: unknown
  readonly counted: unknown
}

/** Rounds of repairs, each of which corrects a limited number of values. */
const MAX_ROUNDS = 100

/** Compares the stored counters of a city with what they count: through its supervisor, or under its lock when none runs it. */
export function counterCheck(folder: string, runningCity: () => Promise<CityClient | undefined>): Check {
  const repaired: Wrong[] = []
  return {
    name: 'counters',
    async run() {
      const city = await runningCity()
      const wrong = city ? (await city.call('GET ~/counters/check')).items : await closedCity(folder, false)
      return wrong === undefined ? ok('counters', 'nothing to check yet') : judge(wrong, repaired)
    },
    async fix() {
      const city = await runningCity()
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const corrected = city ? (await city.call('POST ~/counters/repair')).items : await closedCity(folder, true)
        if (!corrected || corrected.length === 0) return
        repaired.push(...corrected)
      }
    },
  }
}

async function closedCity(folder: string, repairs: boolean): Promise<readonly Wrong[] | undefined> {
  const { checkClosedCity } = await import('../../src/supervisor/closed-city-counters.ts')
  return checkClosedCity(folder, { repairs })
}

function judge(wrong: readonly Wrong[], repaired: readonly Wrong[]): CheckResult {
  if (wrong.length > 0) {
    const message = `${countOf(wrong.length, 'counter')} wrong`
    return bad('error', 'counters', message, 'run `gc doctor --fix`', wrong.map(describe))
  }
  if (repaired.length === 0) return ok('counters', 'as counted again')
  return { ...ok('counters', `${countOf(repaired.length, 'counter')} corrected`), details: repaired.map(describe) }
}

function describe({ counter, id, stored, counted }: Wrong): string {
  const isStuck = counter === 'beads.blockers' && Number(counted) === 0
  return `${counter} of ${id}: ${stored} instead of ${counted}${isStuck ? ', so the bead is never ready though nothing blocks it' : ''}`
}
