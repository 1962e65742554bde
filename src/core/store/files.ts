import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { createFolder } from '../folders.ts'
import { withDatabaseWorker } from './database-worker.ts'
import { rethrowUnwritable } from './failure.ts'

/** Reads rows off the event loop; each call sees what is committed by then. */
export type ReadRows = <Row>(sql: string, ...params: number[]) => Promise<Row[]>

/** Operations on a whole database, off the event loop. */
export class StoreFiles {
  #compacting: Promise<unknown> = Promise.resolve()

  constructor(private readonly path: string) {}

  /** Size of its files in bytes. */
  get bytes(): number {
    const sizes = [this.path, `${this.path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** Copies the database to a new file, which appears complete or not at all. */
  async backup(to: string): Promise<void> {
    const target = resolve(to)
    if (existsSync(target)) throw new AppError('conflict-wrong-state', `${target} exists; give the backup a new name`)
    createFolder(dirname(target))
    await withDatabaseWorker((worker) => worker.backup(this.path, target)).catch(rethrowUnwritable(target))
  }

  /** Returns unused space to the disk. */
  async compact(): Promise<void> {
    const compacting = withDatabaseWorker((worker) => worker.compact(this.path))
    this.#compacting = compacting.catch(() => {})
    await compacting.catch(rethrowUnwritable(this.path))
  }

  /** Waits for the return of space that is under way. */
  async settle(): Promise<void> {
    await this.#compacting
  }

  /** Writes the column `line` of a query's rows to a gzip file. */
  async exportLines(sql: string, params: number[], to: string): Promise<void> {
    await withDatabaseWorker((worker) => worker.exportLines(this.path, sql, params, to)).catch(rethrowUnwritable(to))
  }

  /** For reads of so many rows that they would block the event loop: `work` reads in a worker thread. */
  readInWorker<T>(work: (rows: ReadRows) => Promise<T>): Promise<T> {
    return withDatabaseWorker((worker) => work((sql, ...params) => worker.rows(this.path, sql, params)))
  }
}
