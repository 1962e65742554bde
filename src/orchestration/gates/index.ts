export { GateAttention } from './attention.ts'
export { parseGate } from './gate.ts'
export { Gates } from './gates.ts'
export { gateRoutes } from './routes.ts'
