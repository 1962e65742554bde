import { and, asc, eq } from 'drizzle-orm'
import type { Store, Tx } from '../../core/store.ts'
import type { ProcessSummary } from '../../host/process/process-ender.ts'
import { type DetachedProcessRow, detachedProcesses } from './table.ts'

/** So many are remembered in a city; beyond that the others are still found by their environment. */
const MAX_REMEMBERED = 500

/** The detached processes that a city remembers. */
export class DetachedProcessTable {
  constructor(private readonly store: Store) {}

  /** All of them, oldest first. */
  all(): DetachedProcessRow[] {
    return this.store.read((orm) => orm.select().from(detachedProcesses).orderBy(asc(detachedProcesses.foundAt)).all())
  }

  /** Adds processes of a session; returns those that were not there. */
  add(tx: Tx, session: string, processes: readonly ProcessSummary[], foundAt: number): ProcessSummary[] {
    const room = MAX_REMEMBERED - this.all().length
    return processes.slice(0, Math.max(0, room)).filter(({ pid, started, command }) => {
      const row = { session, pid, started, command, foundAt }
      return tx.orm.insert(detachedProcesses).values(row).onConflictDoNothing().returning().all().length > 0
    })
  }

  remove(tx: Tx, { session, pid, started }: DetachedProcessRow): void {
    tx.orm
      .delete(detachedProcesses)
      .where(
        and(
          eq(detachedProcesses.session, session),
          eq(detachedProcesses.pid, pid),
          eq(detachedProcesses.started, started),
        ),
      )
      .run()
  }
}
