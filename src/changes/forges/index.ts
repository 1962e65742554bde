export { type CheckedChange, type Git, judgeLanded, type Landed } from './contents.ts'
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
export { landingMode, packHolder } from './merge-strategy.ts'
export { forgeOfRemote, type OpenForgeOptions, openForge } from './open.ts'
export {
  type Advance,
  advance,
  closeProposal,
  type LandingEnd,
  type LandingOptions,
  type LandingRemote,
  type LandingWorld,
  type PullRequestLanding,
} from './pull-request-landing.ts'
