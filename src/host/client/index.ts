export { connectToHosts } from './host-client.ts'
export type { RecordBatch, SessionHost } from './session-host.ts'
