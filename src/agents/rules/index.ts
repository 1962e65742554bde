export { ruleRoutes } from './routes.ts'
export { Rules } from './rules.ts'
