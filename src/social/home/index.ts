export { HomeOverview } from './home.ts'
export { Profiles } from './profiles/profiles.ts'
export { profileRoutes } from './profiles/routes.ts'
export { homeRoutes } from './routes.ts'
