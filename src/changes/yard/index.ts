export { makeCandidate } from './candidate.ts'
export { commitOf, isReplaceable, treeWithFiles, withFilesOf } from './generated.ts'
export {
  type AddedLines,
  broughtBack,
  changesBetween,
  changesDigest,
  changesOfPairs,
  linesBetween,
  movedSubmodules,
  type PathChange,
  type Replaced,
  readAddedLines,
  renamesBetween,
  replacedBy,
  replacedIn,
} from './inspect.ts'
export { type LfsPointer, lfsPointers } from './lfs.ts'
export { checkedOutIn, LocalBranch } from './local.ts'
export { type ConflictedFile, type Conflicts, MAX_CONFLICTS, merge } from './merge.ts'
export { type RemoteAddress, RemoteBranch, remoteAddress, type Target } from './remote.ts'
export { Scratch } from './scratch.ts'
export { unlandedRefs } from './unlanded.ts'
export { UserGit } from './user-git.ts'
export { type ObjectSource, OWNER_FILE, Yard, type YardOwner } from './yard.ts'
