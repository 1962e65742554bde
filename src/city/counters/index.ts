export { cityCounterChecks, repairCityCounters } from './counter-checks.ts'
export { Counters } from './counters.ts'
export { counterRoutes } from './routes.ts'
