export { CheckRepository } from './repository.ts'
export type { CheckResult } from './result.ts'
export { CheckRunner } from './runner.ts'
