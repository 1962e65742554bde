export {
  type BranchFacts,
  type Forge,
  type ForgeCheck,
  ForgeProblem,
  type MergeMessage,
  type MergeMethod,
  type MergeRequest,
  type Outcome,
  type PullRequest,
  type PullRequestDraft,
} from './forge.ts'
export { forgeOfRemote, type OpenForgeOptions, openForge } from './open.ts'
