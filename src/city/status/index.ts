export { cityMetrics } from './city-metrics.ts'
export { statusRoutes } from './routes.ts'
export type { Status } from './schema.ts'
