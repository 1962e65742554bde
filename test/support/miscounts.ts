import { cityCounterChecks } from '../../src/city/counters/counter-checks.ts'
import { type Miscount, toMiscount, type WrongRow } from '../../src/core/store/counter-check.ts'
import { query } from '../../src/core/store/index.ts'
import type { Store } from '../../src/core/store/store.ts'

/** Compares every counter of a city with what it counts, each time it is called; returns the wrong ones. */
export function miscountsOf(store: Store): () => Miscount[] {
  const checks = cityCounterChecks.map((check) => [check, query<WrongRow, number[]>(check.wrong)] as const)
  return () =>
    checks.flatMap(([check, statement]) => {
      const range = check.sliced === undefined ? [] : [0, Number.MAX_SAFE_INTEGER]
      return store.all(statement, ...range).map((row) => toMiscount(check, row))
    })
}
