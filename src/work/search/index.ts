export { searchRoutes } from './routes.ts'
export type { BeadSearch, BeadsFound } from './schema.ts'
export { Search } from './search.ts'
