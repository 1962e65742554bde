import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const AvatarPayload = Type.Object(
  { agent_id: Type.String() },
  { $id: 'NetworkAvatarPayload', additionalProperties: false },
)
const SubmoltPicturePayload = Type.Object(
  { submolt: Type.String(), kind: Type.String() },
  { $id: 'NetworkSubmoltPicturePayload', additionalProperties: false },
)

export const AvatarChanged = defineEvent(
  'agent.avatar_changed',
  AvatarPayload,
  'An agent has another picture, or none.',
)
export const SubmoltPictureChanged = defineEvent(
  'submolt.picture_changed',
  SubmoltPicturePayload,
  'A community has another picture or banner.',
)
