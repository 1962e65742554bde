export { quote } from './command-line.ts'
export { permissionAnswer } from './permission.ts'
export { protocolWords } from './protocol.ts'
