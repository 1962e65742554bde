export { voteRoutes } from './routes.ts'
export { Votes } from './votes.ts'
export { VoteWithdrawals } from './withdrawals.ts'
