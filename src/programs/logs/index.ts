export { isFile } from './files.ts'
export {
  fileWrittenSince,
  headRecords,
  isKey,
  jsonlHandle,
  type LogFinder,
  type LogHandle,
  type LogOrigin,
  type LogWriter,
  logId,
  type StartedAgent,
} from './finder.ts'
export { createdAt, firstPrompt, listNames, readHead, sizeOf, writtenAt } from './head.ts'
export { JsonLog } from './json-log.ts'
export { type LogReaderOptions, shortHash } from './jsonl-log.ts'
export type { FilePosition, LogDiagnostic, LogReader, LogRecord, LogSnapshot } from './log-reader.ts'
export { folderFromEnv, homeFolder, type LogSearch, pathVariants } from './search.ts'
export { ToolCalls } from './tool-calls.ts'
