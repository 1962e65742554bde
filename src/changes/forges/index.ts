export { judgeLanded } from './contents.ts'
export { type Forge, ForgeProblem } from './forge.ts'
export { landingMode, packHolder } from './merge-strategy.ts'
export { forgeOfRemote, openForge } from './open.ts'
export {
  advance,
  closeProposal,
  type LandingEnd,
  type LandingWorld,
  type PullRequestLanding,
} from './pull-request-landing.ts'
