import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const text = Type.String()
const optional = Type.Optional(text)

export const WebhookReceived = defineEvent(
  'webhook.received',
  Type.Object(
    {
      webhook: text,
      scheme: optional,
      event_type: Type.Optional(Type.String({ description: 'Event type of the sender.' })),
      dedup_id: Type.Optional(Type.String({ description: 'Identity of this delivery.' })),
      deduped: Type.Boolean({ description: 'True if it is a repetition without further effect.' }),
      matched: Type.Boolean({ description: 'True if a rule says what follows.' }),
      dispatched: Type.Boolean({ description: 'True if it follows.' }),
      rule_index: Type.Integer({ description: 'The rule, counted from 0; -1 for none.' }),
      order: optional,
      rig: optional,
      scoped_name: optional,
      tracking_id: Type.Optional(Type.String({ description: 'The bead of the run that was started.' })),
      body_size: Type.Integer({ description: 'In bytes.' }),
    },
    { $id: 'WebhookReceivedPayload', additionalProperties: false },
  ),
  'A verified delivery came. Its message says why nothing follows from it, where somebody should look.',
)

export const WebhookRejected = defineEvent(
  'webhook.rejected',
  Type.Object(
    {
      webhook: text,
      scheme: optional,
      reason: Type.String({ description: 'In one word; the event’s message says it in a sentence.' }),
      status: Type.Optional(Type.Integer({ description: 'The HTTP status of the answer.' })),
      event_type: optional,
      dedup_id: optional,
      body_size: Type.Optional(Type.Integer()),
    },
    { $id: 'WebhookRejectedPayload', additionalProperties: false },
  ),
  'A delivery was rejected. During a burst only the first are recorded; the next one has the number left out.',
)
