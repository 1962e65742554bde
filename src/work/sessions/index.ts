export { SessionResponse } from '../schema.ts'
export { NEWEST, type SessionPosition } from './closed-sessions.ts'
export { sessionCounterChecks } from './counter-checks.ts'
export type { SessionEventRecorder } from './event-recorder.ts'
export type { MessageOutcome, MessageQueue } from './message-queue.ts'
export { agentNameOf, displayNameOf, identityOf, namesOf, workNamesOf } from './metadata.ts'
export {
  adhocSessionName,
  checkAlias,
  defaultSessionName,
  instanceName,
  instanceNamed,
  memberName,
  poolSessionName,
  sanitize,
} from './names.ts'
export { openSessionRecords, type SessionRecords } from './open.ts'
export type { SessionChange, SessionDraft, SessionRepository } from './repository.ts'
export { type SessionResolver, withoutSlash } from './resolver.ts'
export { isRunning, type RunningSession, wireState } from './running.ts'
export {
  PendingInteraction,
  PendingList,
  PermissionMode,
  Respond,
  Responded,
  SessionCreate,
  SessionList,
  SessionMessage,
  SessionPatch,
  SessionPending,
  SessionPrompt,
  SessionRename,
  SessionRequestView,
  SessionSubmit,
  SubAgent,
  SubAgents,
  type SubmitIntent,
} from './schema.ts'
export type { MessageRow, SessionRow } from './table.ts'
export type { SessionTokens } from './tokens.ts'
export { type Command, type SessionState, transition } from './transitions.ts'
export type { TurnGate } from './turn-gate.ts'
export { HELD, type SessionWaker } from './waker.ts'
export type { ActiveBeads, Workload } from './workload.ts'
