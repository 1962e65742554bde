import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

const WebhookRule = Type.Object(
  {
    event: Type.Optional(Type.String({ description: 'What must have happened at the sender; anything when absent.' })),
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
    url: Type.String({ description: 'Where the sender delivers to, as seen from this machine.' }),
    scheme: Type.String({ description: 'How the sender proves who it is.' }),
    visibility: Type.String({ description: 'Only `public` ones are reached from other machines.' }),
    rig: Type.Optional(Type.String()),
    per_minute: Type.Integer(),
    burst: Type.Integer(),
    rules: Type.Array(WebhookRule),
    file: Type.String({ description: 'The file and line that declare it.' }),
    problem: Type.Optional(Type.String({ description: 'Why its deliveries fail, and what to do.' })),
  },
  { $id: 'Webhook', ...closed },
)
export type Webhook = Static<typeof Webhook>

export const WebhookList = listOf(Webhook, 'ListBodyWebhook')
export type WebhookList = Static<typeof WebhookList>

export const WebhookTest = Type.Object(
  {
    event: Type.Optional(
      Type.String({ maxLength: 200, description: 'What happened; that of the first rule when absent.' }),
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
      Type.String({ maxLength: 1024 * 1024, description: 'What to deliver as it is, in place of a payload.' }),
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
    reason: Type.Optional(Type.String({ description: 'Why it was rejected, in one word.' })),
    message: Type.Optional(Type.String({ description: 'The same in a sentence that says what to do.' })),
    rule_index: Type.Integer({ description: 'The rule that it fits, counted from 0; -1 for none.' }),
    order: Type.Optional(Type.String()),
    args: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { $id: 'WebhookTestResponse', ...closed },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>
