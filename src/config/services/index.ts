export type { ServiceConfig } from './config.ts'
export { type ServiceFields, servicesOf } from './fields.ts'
export { resolveServices } from './resolve.ts'
