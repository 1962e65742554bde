export { Readers } from './readers.ts'
