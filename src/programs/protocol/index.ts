export { quote } from './command-line.ts'
export type { AskedCall } from './permission.ts'
export { GUARD, PROTOCOL_ONLY, protocolPrefixes } from './protocol.ts'
