import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody, paging } from '../../http/schema.ts'
import type { ExternalMessages } from './external-messages.ts'
import {
  ConversationView,
  ConversationViewList,
  InboundRequest,
  InboundResult,
  OutboundRequest,
  OutboundResult,
  TranscriptAck,
  TranscriptList,
} from './message-schema.ts'
import {
  AdapterList,
  AdapterName,
  AdapterRegistration,
  BindingList,
  BindRequest,
  ConversationGroupParticipant,
  ConversationGroupRecord,
  GroupQuery,
  GroupRequest,
  ParticipantName,
  ParticipantRequest,
  RegisteredAdapter,
  SessionBindingRecord,
  TranscriptQuery,
  UnbindRequest,
  UnbindResult,
} from './schema.ts'

type City = CityOf<{ externalMessages: ExternalMessages }>

/** The operations on conversations with people outside. */
export const externalMessageRoutes = (city: City) => [
  ...adapterRoutes(city),
  ...bindingRoutes(city),
  ...groupRoutes(city),
  ...messageRoutes(city),
  ...conversationRoutes(city),
]

const adapterRoutes = (city: City) => [
  route(
    'GET ~/extmsg/adapters',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-extmsg-adapters',
      summary: 'List the adapters of messengers',
      description: 'An adapter is a program that speaks to a messenger, such as a chat. Those that are registered now.',
      ok: AdapterList,
      index: true,
    },
    (x) => city(x).externalMessages.adapters.list(),
  ),
  route(
    'POST ~/extmsg/adapters',
    {
      id: 'register-extmsg-adapter',
      summary: 'Register an adapter of a messenger',
      needs: 'connect',
      description:
        'The adapter then posts what people write to `extmsg/inbound`, and is sent what sessions write at `/publish` under its `callback_url`. It registers again whenever the city starts; another one of the same account is replaced.',
      body: AdapterRegistration,
      headers: { 'Idempotency-Key': 'May be sent; registering again does no harm, so that the key is not needed.' },
      repeat: 'again',
      ok: { 201: RegisteredAdapter },
      errors: ['validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.adapters.register(x.caller, x.body),
  ),
  route(
    'DELETE ~/extmsg/adapters',
    {
      id: 'delete-v0-city-by-city-name-extmsg-adapters',
      summary: 'Unregister an adapter of a messenger',
      needs: 'connect',
      description: 'One that is not registered is not an error.',
      body: AdapterName,
      ok: OKResponseBody,
      errors: ['forbidden'],
    },
    (x) => city(x).externalMessages.adapters.unregister(x.caller, x.body),
  ),
]

const bindingRoutes = (city: City) => [
  route(
    'GET ~/extmsg/bindings',
    {
      id: 'get-v0-city-by-city-name-extmsg-bindings',
      summary: 'List the conversations of a session',
      description: 'Those bound to the session itself; `extmsg/conversations` lists all, with those bound to agents.',
      query: Type.Object({ session_id: Type.Optional(Type.String({ description: 'The id or name of the session.' })) }),
      ok: BindingList,
      errors: ['invalid-request'],
      index: true,
    },
    (x) => city(x).externalMessages.bindings.list(x.query.session_id),
  ),
  route(
    'POST ~/extmsg/bind',
    {
      id: 'post-v0-city-by-city-name-extmsg-bind',
      summary: 'Bind a conversation to a session or an agent',
      needs: 'coordinate',
      description:
        'Messages of the conversation go to it from now on. An agent is identified by its named session, which starts when a message arrives. Repeating the target updates the metadata.',
      body: BindRequest,
      ok: SessionBindingRecord,
      errors: ['invalid-request', 'conflict-wrong-state', 'forbidden'],
    },
    (x) => city(x).externalMessages.bindings.bind(x.caller, x.body),
  ),
  route(
    'POST ~/extmsg/unbind',
    {
      id: 'post-v0-city-by-city-name-extmsg-unbind',
      summary: 'Unbind conversations',
      needs: 'coordinate',
      description: 'By conversation, session or agent; `unbound` is null when nothing was bound.',
      body: UnbindRequest,
      ok: UnbindResult,
      errors: ['invalid-request', 'forbidden'],
    },
    (x) => city(x).externalMessages.bindings.unbind(x.caller, x.body),
  ),
]

const groupRoutes = (city: City) => [
  route(
    'GET ~/extmsg/groups',
    {
      id: 'get-v0-city-by-city-name-extmsg-groups',
      summary: 'Show the group of a conversation',
      query: GroupQuery,
      ok: ConversationGroupRecord,
      errors: ['extmsg-group-not-found'],
    },
    (x) => city(x).externalMessages.groups.get(x.query),
  ),
  route(
    'POST ~/extmsg/groups',
    {
      id: 'ensure-extmsg-group',
      summary: 'Turn a conversation into a group of sessions',
      needs: 'coordinate',
      description:
        'A message goes to the participant that it names as `explicit_target`, else to whom was named last, else to the default. A group that is there takes the new default and, when it is given, the metadata.',
      body: GroupRequest,
      ok: { 201: ConversationGroupRecord },
      errors: ['validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.groups.ensure(x.caller, x.body),
  ),
  route(
    'POST ~/extmsg/participants',
    {
      id: 'post-v0-city-by-city-name-extmsg-participants',
      summary: 'Add a participant to a group',
      needs: 'coordinate',
      description: 'The same handle again changes the participant.',
      body: ParticipantRequest,
      ok: ConversationGroupParticipant,
      errors: ['validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.groups.addParticipant(x.caller, x.body),
  ),
  route(
    'DELETE ~/extmsg/participants',
    {
      id: 'delete-v0-city-by-city-name-extmsg-participants',
      summary: 'Remove a participant from a group',
      needs: 'coordinate',
      description: 'One that is not in the group is not an error.',
      body: ParticipantName,
      ok: OKResponseBody,
      errors: ['validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.groups.removeParticipant(x.caller, x.body),
  ),
]

const messageRoutes = (city: City) => [
  route(
    'POST ~/extmsg/inbound',
    {
      id: 'post-v0-city-by-city-name-extmsg-inbound',
      summary: 'Receive an external message',
      needs: 'connect',
      description:
        'Recipient: the binding of the conversation, else a participant of its group, else a default route of the city, else none. The message is on disk when this responds, and repeated deliveries are recorded once.',
      body: InboundRequest,
      ok: InboundResult,
      errors: ['invalid-request', 'validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.inbound.post(x.caller, x.body),
  ),
  route(
    'POST ~/extmsg/outbound',
    {
      id: 'post-v0-city-by-city-name-extmsg-outbound',
      summary: 'Send a message to a conversation',
      repeat: { outside: 'look at the conversation' },
      needs: 'work',
      description:
        'The session must answer the conversation, or take part in its group. The adapter is asked once, for 30 seconds at most; a message that it did not deliver is a success with `Receipt.Delivered` false and the reason. To try again, send it with a new key.',
      body: OutboundRequest,
      ok: OutboundResult,
      errors: ['validation-failed', 'idempotency-mismatch', 'forbidden'],
      longRunning: true,
    },
    (x) => city(x).externalMessages.outbound.send(x.caller, x.body),
  ),
  route(
    'GET ~/extmsg/transcript',
    {
      id: 'get-v0-city-by-city-name-extmsg-transcript',
      summary: 'Show the messages of a conversation',
      description: 'The last 10,000 of 90 days. A conversation without messages is an empty list.',
      query: TranscriptQuery,
      ok: TranscriptList,
      errors: ['validation-failed'],
      index: true,
    },
    (x) => city(x).externalMessages.transcripts.list(x.query),
  ),
  route(
    'POST ~/extmsg/transcript/ack',
    {
      id: 'post-v0-city-by-city-name-extmsg-transcript-ack',
      summary: 'Acknowledge messages of a conversation',
      needs: 'work',
      description: 'Messages up to there are not shown to it again. A lower number than before changes nothing.',
      body: TranscriptAck,
      ok: OKResponseBody,
      errors: ['validation-failed', 'forbidden'],
    },
    (x) => city(x).externalMessages.transcripts.acknowledge(x.caller, x.body),
  ),
]

const conversationRoutes = (city: City) => [
  route(
    'GET ~/extmsg/conversations',
    {
      id: 'list-extmsg-conversations',
      summary: 'List external conversations',
      description: 'The newest first, each with who answers it.',
      query: Type.Object(paging),
      ok: ConversationViewList,
      errors: ['invalid-cursor'],
      index: true,
      extension: true,
    },
    (x) => city(x).externalMessages.conversations(x.query),
  ),
  route(
    'GET ~/extmsg/conversation/{id}',
    {
      id: 'get-extmsg-conversation',
      summary: 'Show an external conversation',
      ok: ConversationView,
      errors: ['conversation-not-found'],
      extension: true,
    },
    (x) => city(x).externalMessages.conversation(x.params.id),
  ),
]
