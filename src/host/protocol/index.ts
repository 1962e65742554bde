export { Channel, type ChannelData, createChannelHandler } from './channel.ts'
export { parseErrorCode, SESSION_CONFLICT } from './errors.ts'
export { findChoices, nameChoices } from './field-choices.ts'
export { type Frame, FrameError } from './frames.ts'
export { HostPaths } from './host-paths.ts'
export { commandKey, isKeyOf } from './keys.ts'
export {
  Hello,
  type HostResponse,
  type Operation,
  PROTOCOL,
  PushFrame,
  RESPONSE_SCHEMAS,
  ReplyFrame,
  type RequestFields,
  SUPPORTED_PROTOCOLS,
} from './protocol.ts'
export type { HostAnswer, HostPrompt, HostTraffic, OuterProxies, ProviderKey, ProxyRules } from './proxy.ts'
export {
  type ChoiceOutcome,
  type ChoiceResult,
  joinOptions,
  type OptionRole,
  type Question,
  type QuestionOption,
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
