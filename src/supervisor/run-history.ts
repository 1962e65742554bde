import { desc, eq } from 'drizzle-orm'
import type { Clock } from '../core/clock.ts'
import type { Store } from '../core/store.ts'
import { runs } from './table.ts'

/** Records when each run of the supervisor ended; one without an end crashed. */
export class RunHistory {
  #id: number | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Records the start of a run; returns how the one before it ended. */
  begin(): Promise<'clean' | 'crash' | 'unknown'> {
    return this.store.write((tx) => {
      const last = tx.orm.select().from(runs).orderBy(desc(runs.id)).limit(1).get()
      const row = tx.orm.insert(runs).values({ startedAt: this.clock.now() }).returning({ id: runs.id }).get()
      if (last) tx.orm.delete(runs).where(eq(runs.id, last.id)).run()
      this.#id = row.id
      if (!last) return 'unknown'
      return last.endedAt === null ? 'crash' : 'clean'
    })
  }

  async end(): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    await this.store.write(
      (tx) => void tx.orm.update(runs).set({ endedAt: this.clock.now() }).where(eq(runs.id, id)).run(),
    )
  }
}
