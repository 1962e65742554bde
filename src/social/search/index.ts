export { IndexRebuild } from './index-rebuild.ts'
export { networkSearchRoutes } from './routes.ts'
export type { SearchResult } from './schema.ts'
export { NetworkSearch, type SearchPage } from './search.ts'
