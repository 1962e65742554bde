import type { Database } from 'bun:sqlite'
import type { Deadlines, Timer } from '../deadlines.ts'
import type { Sync } from './disk-sync.ts'
import type { StoreFailure, StoreTrouble } from './failure.ts'

export interface StoreOptions {
  /** Called once, when no more writes are accepted. */
  onFailure?: (failure: StoreFailure) => void
  /** Called when writes fail for another reason than before, and with undefined once they succeed again. */
  onTrouble?: (trouble: StoreTrouble | undefined) => void
  /** Schedules attempts to write while writes fail; without it only the next write shows success. */
  deadlines?: Deadlines
  /** Timer after which an idle store releases its pages; by default the timer of the system. */
  timer?: Timer
  /** Called with what an effect threw. */
  onError?: (error: unknown) => void
  /** Flushes the write-ahead log to disk. */
  sync?: Sync
  /** Bytes of write-ahead log after which it is copied to the database off the loop, and at which writes wait for that. */
  checkpointAt?: number
  restartAt?: number
  /** Megabytes of pages that are kept in memory at most. */
  cacheMb?: number
  /** Maximum time a write may wait for one of a thread, in milliseconds. */
  maxWait?: number
  /** Milliseconds that the writes of one commit may hold the loop; the first always runs. */
  groupMs?: number
  /** True if a database of an older gc is copied before it is changed. */
  keepsCopies?: boolean
  /** Called in the transaction of the last migration of a database that an older gc wrote. */
  onMigrated?: (db: Database) => void
}
