export { readBranches } from './branches.ts'
export { cloneRepository, readHeadBranch } from './clone.ts'
export { type GitCommandOptions, type GitFolders, type GitResult, GitRunner, gitErrorMessage } from './git-runner.ts'
export type { Project } from './project.ts'
export { type HostLookup, parseRemote, publicAddresses, type Remote, systemHosts } from './remote.ts'
export { type RemoteAccess, remoteCommand, withoutSecrets } from './remote-access.ts'
export {
  findRepository,
  lendersOf,
  readText,
  repositoryFolders,
  sharedFolder,
  workingFolders,
} from './repository-folders.ts'
export { readRepositoryStatus } from './status.ts'
