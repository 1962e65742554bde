import { eq } from 'drizzle-orm'
import type { Statement, Store, Tx } from '../../core/store/index.ts'
import { type CheckRow, runChecks } from './table.ts'

/** State of a check once its program runs. */
export interface RunningCheck {
  pid: number
  processStarted: string
  tokenHash: string
  startedAt: number
}

/** Stores the checks that should be started or run. */
export class CheckRepository {
  readonly #find: Statement<{ id: string }, [string]>

  constructor(private readonly store: Store) {
    this.#find = store.prepare('SELECT control_id AS id FROM run_checks WHERE control_id = ?')
  }

  has(control: string): boolean {
    return this.#find.get(control) !== null
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
