export { worktreeRoutes } from './routes.ts'
export { Snapshots } from './snapshots/snapshots.ts'
export { Worktrees } from './worktrees.ts'
