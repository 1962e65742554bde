import { eq } from 'drizzle-orm'
import type { Store, Tx } from '../../core/store/index.ts'
import { type ServiceRow, serviceProcesses } from './table.ts'

const NOT_RUNNING = { pid: null, processStarted: null, tokenHash: null, startedAt: null, dueAt: null }

/** Stores the processes of services. */
export class ServiceRepository {
  constructor(private readonly store: Store) {}

  find(name: string): ServiceRow | undefined {
    return this.store.read((orm) => orm.select().from(serviceProcesses).where(eq(serviceProcesses.name, name)).get())
  }

  list(): ServiceRow[] {
    return this.store.read((orm) => orm.select().from(serviceProcesses).all())
  }

  /** It should be started once more. */
  begin(tx: Tx, name: string, fingerprint: string): void {
    const { runs = 0 } = this.find(name) ?? {}
    const begun = { ...NOT_RUNNING, state: 'starting' as const, fingerprint, runs: runs + 1 }
    tx.orm
      .insert(serviceProcesses)
      .values({ name, ...begun })
      .onConflictDoUpdate({ target: serviceProcesses.name, set: begun })
      .run()
  }

  setRunning(
    tx: Tx,
    name: string,
    running: { pid: number; processStarted: string; tokenHash: string; startedAt: number },
  ): void {
    this.#set(tx, name, { ...running, state: 'running' })
  }

  /** It ended automatically, and is started again when that is due; never when there is no such moment. */
  setEnded(
    tx: Tx,
    name: string,
    ended: { failures: number; lastExit: string; endedAt: number; dueAt: number | null },
  ): void {
    this.#set(tx, name, { ...NOT_RUNNING, ...ended, state: ended.dueAt === null ? 'stopped' : 'waiting' })
  }

  /** Its process was ended on purpose. */
  setGone(tx: Tx, name: string): void {
    this.#set(tx, name, { ...NOT_RUNNING, state: 'starting' })
  }

  /** Its failures are forgotten. */
  clearFailures(tx: Tx, name: string): void {
    this.#set(tx, name, { failures: 0 })
  }

  remove(tx: Tx, name: string): void {
    tx.orm.delete(serviceProcesses).where(eq(serviceProcesses.name, name)).run()
  }

  #set(tx: Tx, name: string, values: Partial<ServiceRow>): void {
    tx.orm.update(serviceProcesses).set(values).where(eq(serviceProcesses.name, name)).run()
  }
}
