export { quote } from './command-line.ts'
export { type AskedCall, askedCall, permissionAnswer } from './permission.ts'
export { GUARD, isProtocol, onlyBegins, PROTOCOL_ONLY, protocolPrefixes, protocolWords } from './protocol.ts'
