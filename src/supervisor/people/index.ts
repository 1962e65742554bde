export { People } from './people.ts'
export { peopleRoutes } from './routes.ts'
