export type { AgentSession } from './agent-session.ts'
export { type RecordLine, RecordQueue } from './record-queue.ts'
