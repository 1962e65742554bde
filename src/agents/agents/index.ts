export { AgentSessionDirectory } from './agent-session-directory.ts'
export { Agents } from './agents.ts'
export { agentRoutes } from './routes.ts'
export type { AgentDeclare, AgentDeclared, AgentResponse } from './schema.ts'
