export { quote } from './command-line.ts'
export { permissionAnswer } from './permission.ts'
export { onlyBegins, PROTOCOL_ONLY, protocolPrefixes, protocolWords } from './protocol.ts'
