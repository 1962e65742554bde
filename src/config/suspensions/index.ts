export { Suspensions } from './suspensions.ts'
