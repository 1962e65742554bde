export { CommandSession } from './command-session.ts'
