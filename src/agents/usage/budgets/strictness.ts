import { command, query, type Store, type Tx } from '../../../core/store/index.ts'

const DELETE = command('DELETE FROM lenient_budgets')

const LENIENT = query<{ since: number }>('SELECT since FROM lenient_budgets LIMIT 1')

/**
 * True if an agent under a budget gets no turn when its program does not report what it uses. In a city that an earlier
 * gc had open it continues until a person decides: that gc did not stop it.
 */
export class Strictness {
  #isStrict: boolean

  constructor(store: Store) {
    this.#isStrict = store.get(LENIENT) === null
  }

  get isStrict(): boolean {
    return this.#isStrict
  }

  /** Makes budgets strict for good; whether they were not. */
  set(tx: Tx): boolean {
    const changed = tx.run(DELETE).changes > 0
    tx.after(() => {
      this.#isStrict = true
    })
    return changed
  }
}
