export { AGENT, type AgentConfig, type AgentFields, PACK_PATH, withoutAgents } from './agent.ts'
export { AGENT_DEFAULTS, type AgentDefaultsFields, withAgentDefaults } from './defaults.ts'
export { findDependency } from './dependencies.ts'
export {
  type AgentBase,
  type AgentDraft,
  addAgent,
  changeAgent,
  deleteAgentFolder,
  findAgent,
  removeAgent,
} from './edit.ts'
export {
  NAMED_SESSION,
  NAMED_SESSION_PATCH,
  type NamedSessionConfig,
  type NamedSessionFields,
  type NamedSessionPatchFields,
  patchNamedSession,
  resolveNamedSessions,
} from './named-sessions.ts'
export {
  AGENT_PATCH,
  type AgentPatchFields,
  applyAgentPatch,
  patchAgents,
  patchRigAgent,
  RIG_AGENT_PATCH,
  reportMissingAgent,
} from './patch.ts'
export { declareAgentFolders } from './read-folders.ts'
export { resolveAgents } from './resolve.ts'
