export type { LandAutoConfig, LandConfig, LandForgeConfig } from './config.ts'
export { branchProblem, type LandFields, landTable } from './fields.ts'
export { LAND_DEFAULTS, resolveLand } from './resolve.ts'
