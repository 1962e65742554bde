export * as githubEvents from './events.ts'
export { PullRequestMonitors } from './monitors.ts'
export type { RepairGiver } from './repairs.ts'
