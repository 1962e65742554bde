import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'
import { SessionResponse } from '../schema.ts'

const closed = { additionalProperties: false } as const
const Strings = Type.Record(Type.String(), Type.String())

export const SessionList = listOf(SessionResponse, 'ListBodySessionResponse')
export type SessionList = Static<typeof SessionList>

export const SessionCreate = Type.Object(
  {
    kind: Type.Optional(Type.String({ description: '`agent` or `provider`.' })),
    name: Type.Optional(Type.String({ description: 'The agent (`rig/name`, or a unique name) or the provider.' })),
    alias: Type.Optional(Type.String({ description: 'A public name for the session.' })),
    message: Type.Optional(Type.String({ description: 'The first message.' })),
    options: Type.Optional(Strings),
    title: Type.Optional(Type.String()),
    project_id: Type.Optional(Type.String({ description: 'Stored in the session’s metadata for the client.' })),
    async: Type.Optional(Type.Boolean({ description: 'Accepted for agents; every create is asynchronous.' })),
    session_name: Type.Optional(Type.String({ description: 'No longer accepted; use `alias`.' })),
  },
  { $id: 'SessionCreateBody', ...closed },
)
export type SessionCreate = Static<typeof SessionCreate>

export const SessionPatch = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1 })),
    alias: Type.Optional(Type.String({ description: 'Empty removes the alias.' })),
  },
  { $id: 'SessionPatchBody', ...closed },
)
export type SessionPatch = Static<typeof SessionPatch>

export const SessionRename = Type.Object(
  { title: Type.String({ minLength: 1 }) },
  { $id: 'SessionRenameInputBody', ...closed },
)
export type SessionRename = Static<typeof SessionRename>

export const SessionMessage = Type.Object(
  { message: Type.String({ minLength: 1, pattern: '\\S', description: 'The message to the agent.' }) },
  { $id: 'SessionMessageInputBody', ...closed },
)
export type SessionMessage = Static<typeof SessionMessage>

export const SubmitIntent = Type.Union(
  [Type.Literal('default'), Type.Literal('follow_up'), Type.Literal('interrupt_now')],
  {
    $id: 'SubmitIntent',
    description: 'Delivery: immediately, after the current turn, or instead of the current turn.',
  },
)
export type SubmitIntent = Static<typeof SubmitIntent>

export const SessionSubmit = Type.Object(
  {
    message: Type.String({ minLength: 1, pattern: '\\S', description: 'The message to the agent.' }),
    intent: Type.Optional(SubmitIntent),
  },
  { $id: 'SessionSubmitInputBody', ...closed },
)
export type SessionSubmit = Static<typeof SessionSubmit>

export const PendingInteraction = Type.Object(
  {
    request_id: Type.String({ description: 'Changes when the question does.' }),
    kind: Type.String({ description: 'The kind of answer, such as `approval`.' }),
    prompt: Type.Optional(Type.String({ description: 'The question.' })),
    options: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(Strings),
  },
  { $id: 'PendingInteraction', ...closed },
)
export type PendingInteraction = Static<typeof PendingInteraction>

export const SessionPending = Type.Object(
  {
    supported: Type.Boolean({ description: 'True if questions of this program can be recognized.' }),
    pending: Type.Optional(PendingInteraction),
  },
  { $id: 'SessionPendingResponse', ...closed },
)
export type SessionPending = Static<typeof SessionPending>

export const CityPendingEntry = Type.Object(
  {
    session_id: Type.String({ description: 'The session that asks.' }),
    request_id: Type.String({ description: 'Changes when the question does.' }),
    kind: Type.String({ description: 'The kind of answer, such as `approval`.' }),
  },
  { $id: 'CityPendingEntry', ...closed },
)
export type CityPendingEntry = Static<typeof CityPendingEntry>

export const PendingList = listOf(CityPendingEntry, 'ListBodyCityPendingEntry')
export type PendingList = Static<typeof PendingList>

/** The prompt of a session’s agent. */
export const SessionPrompt = Type.Object(
  {
    agent: Type.String({ description: 'The agent the session runs.' }),
    content: Type.String({ description: 'Its prompt, rendered for this session; empty when it has none.' }),
    warnings: Type.Array(Type.String(), { description: 'Errors in its templates, which are then shown unrendered.' }),
  },
  { $id: 'SessionPrompt', ...closed },
)
export type SessionPrompt = Static<typeof SessionPrompt>

export const PermissionMode = Type.Object(
  { permission_mode: Type.String({ minLength: 1, pattern: '\\S', description: 'One of the provider’s modes.' }) },
  { $id: 'SessionPermissionModeBody', ...closed },
)
export type PermissionMode = Static<typeof PermissionMode>

export const Respond = Type.Object(
  {
    action: Type.String({
      minLength: 1,
      description:
        '`approve` (or `allow`), `approve_always`, `approve_accept_edits`, `deny`, `deny_always`, the id of a choice, or the number or the text of an option of a dialog.',
    }),
    request_id: Type.Optional(Type.String({ description: 'The question to answer; the current one when absent.' })),
    text: Type.Optional(Type.String()),
    metadata: Type.Optional(Strings),
  },
  { $id: 'SessionRespondInputBody', ...closed },
)
export type Respond = Static<typeof Respond>

export const Responded = Type.Object(
  { status: Type.String(), id: Type.String() },
  { $id: 'SessionRespondOutputBody', ...closed },
)
export type Responded = Static<typeof Responded>

export const AgentMapping = Type.Object(
  { agent_id: Type.String(), parent_tool_use_id: Type.String() },
  { $id: 'AgentMapping', ...closed },
)

export const SubAgents = Type.Object(
  { agents: Type.Array(AgentMapping, { description: 'Agents that the agent of the session started.' }) },
  { $id: 'SessionAgentListResponse', ...closed },
)
export type SubAgents = Static<typeof SubAgents>

export const SubAgent = Type.Object(
  {
    messages: Type.Array(Type.Unknown(), { description: 'Its conversation, as the program logged it.' }),
    status: Type.Optional(Type.String({ description: '`pending`, `running`, `completed` or `failed`.' })),
  },
  { $id: 'SessionAgentGetResponse', ...closed },
)
export type SubAgent = Static<typeof SubAgent>

/** Ours: an accepted request about a session that is not done yet. */
export const SessionRequestView = Type.Object(
  {
    request_id: Type.String(),
    operation: Type.String({ description: '`session.create`, `session.message` or `session.submit`.' }),
    session_id: Type.String(),
    waits_for: Type.Optional(Type.String({ description: 'Obstacle and fix; absent if none is known.' })),
  },
  { $id: 'SessionRequestView', additionalProperties: false },
)
export type SessionRequestView = Static<typeof SessionRequestView>
