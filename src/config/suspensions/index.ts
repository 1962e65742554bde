export * as suspensionEvents from './events.ts'
export { Suspensions } from './suspensions.ts'
