export { Channel, type ChannelData, createChannelHandler } from './channel.ts'
export { parseErrorCode, SESSION_CONFLICT } from './errors.ts'
export { findChoices, nameChoices } from './field-choices.ts'
export { type Frame, FrameError } from './frames.ts'
export { HostPaths, UNFINISHED } from './host-paths.ts'
export { commandKey, isKeyOf } from './keys.ts'
export {
  BUSY,
  Hello,
  type HostRequest,
  type HostResponse,
  isOperation,
  type Operation,
  PROTOCOL,
  PushFrame,
  READY,
  REQUEST_SCHEMAS,
  RESPONSE_SCHEMAS,
  ReplyFrame,
  type RequestFields,
  SUPPORTED_PROTOCOLS,
} from './protocol.ts'
export type { HostAnswer, HostPrompt, HostTraffic, OuterProxies, ProviderKey, ProxyRules } from './proxy.ts'
export {
  ChoiceOutcome,
  type ChoiceResult,
  joinOptions,
  OptionRole,
  Question,
  QuestionOption,
  splitOptions,
} from './question.ts'
export { type AgentMode, AgentRecord, type AgentRecordContent, type PermissionChoice } from './record.ts'
export type {
  Activity,
  CommandOutput,
  Confinement,
  Ended,
  EndOptions,
  EndReason,
  Exit,
  ForegroundSignal,
  HostedSession,
  HostStatus,
  OutputChunk,
  OutputFile,
  PrivateFile,
  PrivateLink,
  ProcessRef,
  ProgramOnTerminal,
  Screen,
  Snapshot,
  StartResult,
  StartSpec,
  ToolServer,
} from './session.ts'
export { EnforcedBy, EnforcedShare, type Share } from './share.ts'
