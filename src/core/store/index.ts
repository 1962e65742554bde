export {
  type CounterCheck,
  findMiscounts,
  groupCheck,
  type Miscount,
  repairCounters,
  rowCheck,
} from './counter-check.ts'
export { DatabaseWorker } from './database-worker.ts'
export { troubleReporter } from './failure.ts'
export { HeldFolder } from './held-folder.ts'
export { databaseVersion, type KeptCopy, keptCopies, restoreCopy } from './kept-copies.ts'
export { migrate } from './migrate.ts'
export { Recounts } from './recounts.ts'
export { stablePlan } from './stable-plan.ts'
export { type Command, command, type Query, query } from './statement.ts'
export { type Orm, Store, type StoreFailure, type StoreTrouble, type Tx } from './store.ts'
