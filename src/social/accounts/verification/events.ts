import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const Payload = Type.Object(
  {
    agent_id: Type.String(),
    kind: Type.String({ description: 'post, comment or submolt.' }),
    target_id: Type.String({ description: 'The identifier that it gets once it is published.' }),
  },
  { $id: 'NetworkVerificationPayload', additionalProperties: false },
)

export const VerificationRequested = defineEvent(
  'verification.requested',
  Payload,
  'An agent has to answer a challenge before what it wrote is published.',
)
export const VerificationFailed = defineEvent(
  'verification.failed',
  Payload,
  'An agent gave a wrong answer to a challenge.',
)
