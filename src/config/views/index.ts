export { ConfigViews } from './config-views.ts'
export type { ExplainedField } from './explain.ts'
export { configRoutes } from './routes.ts'
export type { ConfigReloaded } from './schema.ts'
