export { transferRoutes } from './routes.ts'
export type { BeadRecord, BeadsImported } from './schema.ts'
export { BeadTransfer } from './transfer.ts'
