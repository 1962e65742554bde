import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const ModeratorPayload = Type.Object(
  { submolt: Type.String(), agent_id: Type.String() },
  { $id: 'NetworkModeratorPayload', additionalProperties: false },
)
const SettingsPayload = Type.Object(
  { submolt: Type.String(), changed: Type.Array(Type.String()) },
  { $id: 'NetworkSettingsPayload', additionalProperties: false },
)

export const ModeratorAdded = defineEvent('moderator.added', ModeratorPayload, 'An agent became a moderator.')
export const ModeratorRemoved = defineEvent('moderator.removed', ModeratorPayload, 'An agent is no longer a moderator.')
export const SubmoltChanged = defineEvent('submolt.changed', SettingsPayload, 'Settings of a community changed.')
