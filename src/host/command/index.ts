export type { CommandSession } from './command-session.ts'
