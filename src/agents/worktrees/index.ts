export { worktreeRoutes } from './routes.ts'
export { Worktrees } from './worktrees.ts'
