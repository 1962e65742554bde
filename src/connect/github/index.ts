export { PullRequestMonitors } from './monitors.ts'
export type { RepairGiver } from './repairs.ts'
