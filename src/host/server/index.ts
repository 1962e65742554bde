export { hostOptions, runHost } from './main.ts'
