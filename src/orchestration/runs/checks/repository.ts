import { eq } from 'drizzle-orm'
import { query, type Store, type Tx } from '../../../core/store/index.ts'
import { type CheckRow, runChecks } from './table.ts'

/** State of a check once its program runs. */
export interface RunningCheck {
  pid: number
  processStarted: string
  tokenHash: string
  startedAt: number
}

const FIND = query<{ id: string }, [string]>('SELECT control_id AS id FROM run_checks WHERE control_id = ?')

/** Stores the checks that should be started or run. */
export class CheckRepository {
  constructor(private readonly store: Store) {}

  has(control: string): boolean {
    return this.store.get(FIND, control) !== null
  }

  find(control: string): CheckRow | undefined {
    return this.store.read((orm) => orm.select().from(runChecks).where(eq(runChecks.controlId, control)).get())
  }

  list(): CheckRow[] {
    return this.store.read((orm) => orm.select().from(runChecks).all())
  }

  /** Those of one run. */
  listOf(root: string): CheckRow[] {
    return this.store.read((orm) => orm.select().from(runChecks).where(eq(runChecks.rootId, root)).all())
  }

  add(tx: Tx, check: Pick<CheckRow, 'controlId' | 'rootId' | 'attemptId'>): void {
    tx.orm
      .insert(runChecks)
      .values({ ...check, state: 'starting' })
      .onConflictDoNothing()
      .run()
  }

  setRunning(tx: Tx, control: string, running: RunningCheck): void {
    tx.orm
      .update(runChecks)
      .set({ ...running, state: 'running' })
      .where(eq(runChecks.controlId, control))
      .run()
  }

  /** It is begun again, under another key. */
  restart(tx: Tx, { controlId, runs }: CheckRow): void {
    const gone = { pid: null, processStarted: null, tokenHash: null, startedAt: null }
    tx.orm
      .update(runChecks)
      .set({ ...gone, state: 'starting', runs: runs + 1 })
      .where(eq(runChecks.controlId, controlId))
      .run()
  }

  remove(tx: Tx, control: string): void {
    tx.orm.delete(runChecks).where(eq(runChecks.controlId, control)).run()
  }
}
