export { READER_COMMAND, Readers } from './readers.ts'
