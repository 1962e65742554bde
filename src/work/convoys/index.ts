export { Convoys, OWNED_LABEL } from './convoys.ts'
export { convoyRoutes } from './routes.ts'
export type { ConvoyCheckResponse, ConvoyGetResponse, ConvoyTerms } from './schema.ts'
