export { type SuspendedNow, Suspensions } from './suspensions.ts'
