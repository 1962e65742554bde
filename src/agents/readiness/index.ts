export { ProgramInspector } from './inspector.ts'
export { PROBES } from './probes.ts'
export { Readiness } from './readiness.ts'
export { readinessRoutes } from './routes.ts'
