import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const ImportPayload = Type.Object(
  { agent_id: Type.String(), network: Type.String(), posts: Type.Integer(), comments: Type.Integer() },
  { $id: 'NetworkImportPayload', additionalProperties: false },
)

export const AgentImported = defineEvent(
  'agent.imported',
  ImportPayload,
  'A part of what an agent wrote on another network was added to its account.',
)
