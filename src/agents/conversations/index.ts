export { AcpConversations } from './acp/conversations.ts'
export { AcpPrompter } from './acp/prompter.ts'
export { actionsFor, optionFor, subjectOfTool, toPendingInteraction, toQuestion } from './acp/questions.ts'
export { AcpRetention } from './acp/retention.ts'
export { SessionActivity } from './activity.ts'
export { LastOutputs } from './ended/last-outputs.ts'
export { TRANSCRIPT_CURSOR_INVALIDATED } from './formats/errors.ts'
export { openSessionLogs } from './open.ts'
export {
  ActivityFrame,
  AgentOutput,
  type OutputTurn,
  PendingCleared,
  RawFrame,
  ScreenFrame,
  StructuredFrame,
  Transcript,
  TranscriptFormat,
  TurnFrame,
} from './schema.ts'
export { openScreen } from './screen-stream.ts'
export { type TranscriptMatch, TranscriptMatches, TranscriptSearch } from './search/schema.ts'
export { TranscriptSearcher } from './search/search.ts'
export { openStream } from './stream.ts'
export type { LogReading } from './tracking/log-trackers.ts'
export type { SessionLogs } from './tracking/session-logs.ts'
export { builtinProviderLookup, builtinProviderOf, findProvider } from './tracking/session-program.ts'
export { ScreenSource, type TranscriptQuery, Transcripts } from './transcripts.ts'
