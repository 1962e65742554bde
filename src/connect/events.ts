import { Type } from '@sinclair/typebox'
import { defineEvent, payload } from '../core/events/index.ts'

const text = Type.String()
const optional = Type.Optional(text)

// External messages

const conversation = { provider: text, conversation_id: text }
const AdapterPayload = payload('AdapterEventPayload', { provider: text, account_id: text })

export const AdapterAdded = defineEvent(
  'extmsg.adapter_added',
  AdapterPayload,
  'An adapter of external messages was registered.',
)
export const AdapterRemoved = defineEvent(
  'extmsg.adapter_removed',
  AdapterPayload,
  'An adapter of external messages was unregistered.',
)
export const ConversationBound = defineEvent(
  'extmsg.bound',
  payload('BoundEventPayload', { ...conversation, session_id: text, agent_name: optional }),
  'A conversation was bound to a session.',
)
export const ConversationUnbound = defineEvent(
  'extmsg.unbound',
  payload('UnboundEventPayload', { session_id: text, count: Type.Integer() }),
  'Conversations were unbound from a session.',
)
export const GroupCreated = defineEvent(
  'extmsg.group_created',
  payload('GroupCreatedEventPayload', { ...conversation, mode: text }),
  'A group conversation was created.',
)
export const MessageReceived = defineEvent(
  'extmsg.inbound',
  payload('InboundEventPayload', {
    ...conversation,
    actor: text,
    target_session: text,
    target_agent: optional,
  }),
  'An external message came in.',
)
export const MessagePublished = defineEvent(
  'extmsg.outbound',
  payload('OutboundEventPayload', { ...conversation, session: text, message_id: text }),
  'A message was sent to an external conversation.',
)
export const ChannelMismatch = defineEvent(
  'extmsg.outbound_channel_mismatch',
  payload('OutboundChannelMismatchPayload', { ...conversation, posting_session: text, owner_session: text }),
  'A session sent to a conversation that another session owns.',
)

// Services

const service = Type.String({ description: 'The name of the service.' })

export const ServiceStarted = defineEvent(
  'service.started',
  payload('ServiceStartedPayload', { service, pid: Type.Integer() }),
  'The process of a service was started; it is ready a little later.',
)
export const ServiceExited = defineEvent(
  'service.exited',
  payload('ServiceExitedPayload', {
    service,
    failures: Type.Integer({ description: 'Number of consecutive unexpected exits.' }),
    next_start_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time of the next start; absent if there is none.' }),
    ),
  }),
  'The process of a service exited unexpectedly or could not be started.',
)
export const ServiceRestarted = defineEvent(
  'service.restarted',
  payload('ServiceRestartedPayload', { service }),
  'A service was restarted on request.',
)

// Webhooks

export const WebhookReceived = defineEvent(
  'webhook.received',
  payload('WebhookReceivedPayload', {
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
  }),
  'A verified delivery came. Its message says why nothing follows from it, where somebody should look.',
)

export const WebhookRejected = defineEvent(
  'webhook.rejected',
  payload('WebhookRejectedPayload', {
    webhook: text,
    scheme: optional,
    reason: Type.String({ description: 'In one word; the event’s message says it in a sentence.' }),
    status: Type.Optional(Type.Integer({ description: 'The HTTP status of the answer.' })),
    event_type: optional,
    dedup_id: optional,
    body_size: Type.Optional(Type.Integer()),
  }),
  'A delivery was rejected. During a burst only the first are recorded; the next one has the number left out.',
)

// Pull requests

export const PullRequestChanged = defineEvent(
  'github.pull_request',
  payload('PullRequestChangedPayload', {
    monitor: text,
    rig: optional,
    repo: Type.String({ description: '`owner/name`.' }),
    number: Type.Integer(),
    change: Type.Union(
      [Type.Literal('opened'), Type.Literal('updated'), Type.Literal('closed'), Type.Literal('merged')],
      { description: 'Changes since it was last read; only the latest of many.' },
    ),
    title: text,
    url: text,
    author: text,
    draft: Type.Boolean(),
    base: Type.String({ description: 'The branch that it is for.' }),
    head: Type.String({ description: 'Its own branch.' }),
    head_sha: text,
    updated_at: Type.String({ format: 'date-time' }),
  }),
  'A pull request that a `[[github.pr_monitor]]` watches changed. An order with `on = "github.pull_request"` follows it.',
)
