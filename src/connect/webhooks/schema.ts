import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

const WebhookRule = Type.Object(
  {
    event: Type.Optional(Type.String({ description: 'Required event type of the sender; default is any.' })),
    match: Type.Record(Type.String(), Type.String(), { description: 'The text that paths of the payload must have.' }),
    target: Type.Union([Type.Literal('order'), Type.Literal('conversation')]),
    order: Type.Optional(Type.String()),
    rig: Type.Optional(Type.String()),
    args: Type.Record(Type.String(), Type.String(), { description: 'Texts with `{{path}}` of the payload.' }),
  },
  closed,
)

export const Webhook = Type.Object(
  {
    name: Type.String(),
    url: Type.String({ description: 'Delivery address, as seen from this machine.' }),
    scheme: Type.String({ description: 'Authentication of the sender.' }),
    visibility: Type.String({ description: 'Only `public` ones are reached from other machines.' }),
    rig: Type.Optional(Type.String()),
    per_minute: Type.Integer(),
    burst: Type.Integer(),
    rules: Type.Array(WebhookRule),
    file: Type.String({ description: 'The file and line that declare it.' }),
    problem: Type.Optional(Type.String({ description: 'Reason its deliveries fail, and the fix.' })),
  },
  { $id: 'Webhook', ...closed },
)
export type Webhook = Static<typeof Webhook>

export const WebhookList = listOf(Webhook, 'ListBodyWebhook')
export type WebhookList = Static<typeof WebhookList>

export const WebhookTest = Type.Object(
  {
    event: Type.Optional(
      Type.String({ maxLength: 200, description: 'Event type; default is that of the first rule.' }),
    ),
    payload: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'One that fits the first rule when absent.' }),
    ),
    form: Type.Optional(
      Type.Boolean({
        description: 'Deliver the fields of the payload as a form; a field that is an object or a list is JSON in it.',
      }),
    ),
    body: Type.Optional(
      Type.String({ maxLength: 1024 * 1024, description: 'Raw body to deliver instead of a payload.' }),
    ),
    content_type: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: '^[!-~][ -~]*$',
        description: 'The type of `body`; `application/json` when absent.',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Show which rule it fits; deliver nothing.' })),
  },
  { $id: 'WebhookTestBody', ...closed },
)
export type WebhookTest = Static<typeof WebhookTest>

export const WebhookTestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: 'False for a dry run.' }),
    event: Type.Optional(Type.String()),
    payload: Type.Record(Type.String(), Type.Unknown()),
    status: Type.Optional(Type.Integer({ description: 'The HTTP status that the sender would see.' })),
    answer: Type.Optional(Type.Unknown({ description: 'The body that the sender would see.' })),
    reason: Type.Optional(Type.String({ description: 'Reason it was rejected, in one word.' })),
    message: Type.Optional(Type.String({ description: 'The same in a sentence that says what to do.' })),
    rule_index: Type.Integer({ description: 'The rule that it fits, counted from 0; -1 for none.' }),
    order: Type.Optional(Type.String()),
    args: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { $id: 'WebhookTestResponse', ...closed },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>
