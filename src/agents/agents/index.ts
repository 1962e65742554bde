export { AgentSessionDirectory } from './agent-session-directory.ts'
export { type AgentRow, Agents } from './agents.ts'
export { agentRoutes } from './routes.ts'
export type { AgentDeclare, AgentDeclared, AgentResponse } from './schema.ts'
