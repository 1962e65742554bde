export { ConfigViews } from './config-views.ts'
export { type ExplainedField, explainFields } from './explain.ts'
export { configRoutes } from './routes.ts'
export { ConfigReloaded } from './schema.ts'
