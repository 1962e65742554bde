export { TemplateError } from './error.ts'
export { type TemplateFunction, textFunction } from './function.ts'
export { FULL_LIMITS, SHORT_LIMITS, StepsExceededError, type TemplateLimits } from './limits.ts'
export { type MakeFunctions, TemplateSet } from './template-set.ts'
