export { Claims } from './claims.ts'
export { ClaimManager, WITHOUT_SESSION } from './manager.ts'
export { claimRoutes } from './routes.ts'
export type { NextWork } from './schema.ts'
