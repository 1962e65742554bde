export { Patches } from './patches.ts'
export { patchRoutes } from './routes.ts'
