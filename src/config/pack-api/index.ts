export { MissingPacksAttention } from './missing-attention.ts'
export { Packs } from './packs.ts'
export { packRoutes } from './routes.ts'
