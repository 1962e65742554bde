export {
  headRecords,
  type LogFinder,
  type LogHandle,
  type LogOrigin,
  type LogWriter,
  logId,
  type StartedAgent,
} from './finder.ts'
export { readHead, writtenAt } from './head.ts'
export type { LogReaderOptions } from './jsonl-log.ts'
export type { FilePosition, LogDiagnostic, LogReader, LogRecord, LogSnapshot } from './log-reader.ts'
export { type LogSearch, pathVariants } from './search.ts'
