export { type DiffOptions, Diffs, type PageOptions, type RangeDiff } from './diffs.ts'
export type { LinePlace } from './locate.ts'
export type { Round } from './rounds.ts'
export {
  CommitChange,
  DiffFile,
  DiffHunk,
  DiffLine,
  DiffPage,
  FileChange,
  FileChanges,
  type FileKind,
  type Folding,
} from './schema.ts'
