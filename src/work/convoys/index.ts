export { Convoys, OWNED_LABEL } from './convoys.ts'
export { convoyRoutes } from './routes.ts'
export type { ConvoyCheckResponse, ConvoyTerms } from './schema.ts'
