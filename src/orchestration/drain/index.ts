export { DrainUnits } from './units.ts'
