export { waitRoutes } from './routes.ts'
export type { WaitView } from './schema.ts'
export { Waits } from './waits.ts'
