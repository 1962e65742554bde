export { Diffs } from './diffs.ts'
export { CommitChange, DiffFile, DiffLine, DiffPage, FileChange } from './schema.ts'
