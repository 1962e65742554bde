export { commandTokenRoutes } from './routes.ts'
