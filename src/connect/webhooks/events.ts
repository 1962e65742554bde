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
      event_type: Type.Optional(Type.String({ description: 'What happened at the sender, in its own word.' })),
      dedup_id: Type.Optional(Type.String({ description: 'What tells this delivery from others.' })),
      deduped: Type.Boolean({ description: 'Whether it came before, so that nothing follows from it again.' }),
      matched: Type.Boolean({ description: 'Whether a rule says what follows.' }),
      dispatched: Type.Boolean({ description: 'Whether it follows.' }),
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
  'A delivery was rejected. Of many in a short time only the first are recorded; the next one tells how many were left out.',
)
