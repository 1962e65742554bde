export { RunEngine } from './engine.ts'
