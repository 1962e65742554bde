export { LandingAttention } from './attention.ts'
export { Landings } from './landings.ts'
export { landingRoutes } from './routes.ts'
export type { Landing, LandingLog } from './schema.ts'
