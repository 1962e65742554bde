import { type Static, Type } from '@sinclair/typebox'
import { listOf, paging } from '../../http/schema.ts'

/** A message from one session or person to another. */
export const Message = Type.Object(
  {
    id: Type.String({ description: 'The id of its bead.' }),
    from: Type.String({ description: 'The sender: a session by one of its names, or `human`.' }),
    to: Type.String({ description: 'The recipient: a session, an agent, or `human`.' }),
    subject: Type.String(),
    body: Type.String(),
    created_at: Type.String({ format: 'date-time', description: 'Time of sending.' }),
    read: Type.Boolean(),
    thread_id: Type.Optional(Type.String({ description: 'The thread it belongs to.' })),
    reply_to: Type.Optional(Type.String({ description: 'The message it replies to.' })),
    priority: Type.Optional(Type.Integer({ format: 'int64' })),
    cc: Type.Optional(Type.Array(Type.String(), { description: 'Further recipients that were named.' })),
    rig: Type.Optional(Type.String({ description: 'The `rig` of the request; else the name of the city.' })),
  },
  { $id: 'Message', additionalProperties: false },
)
export type Message = Static<typeof Message>

export const MailListBody = listOf(Message, 'MailListBody')
export type MailListBody = Static<typeof MailListBody>

export const MailCountOutputBody = Type.Object(
  {
    total: Type.Integer({ format: 'int64', description: 'Messages that are not archived.' }),
    unread: Type.Integer({ format: 'int64', description: 'Those of them that are unread.' }),
    partial: Type.Optional(Type.Boolean({ description: 'Some source could not be read.' })),
    partial_errors: Type.Optional(Type.Array(Type.String(), { description: 'Names, with reasons.' })),
  },
  { $id: 'MailCountOutputBody', additionalProperties: false },
)
export type MailCountOutputBody = Static<typeof MailCountOutputBody>

const from = Type.Optional(
  Type.String({ description: 'A session may give only one of its own names; a person may give a label.' }),
)

export const MailSendInputBody = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      description: 'A session by id, alias or name; an agent, whose mail waits for a session of it; or `human`.',
    }),
    subject: Type.String({ minLength: 1, description: 'At most 1 KB.' }),
    body: Type.Optional(Type.String({ description: 'At most 256 KB.' })),
    from,
    rig: Type.Optional(Type.String({ description: 'A label that the response repeats; a city has one mailbox.' })),
  },
  { $id: 'MailSendInputBody', additionalProperties: false },
)
export type MailSendInputBody = Static<typeof MailSendInputBody>

export const MailReplyInputBody = Type.Object(
  {
    from,
    subject: Type.Optional(Type.String({ description: '`Re:` and the original subject when absent.' })),
    body: Type.Optional(Type.String({ description: 'At most 256 KB.' })),
  },
  { $id: 'MailReplyInputBody', additionalProperties: false },
)
export type MailReplyInputBody = Static<typeof MailReplyInputBody>

export const MailPatch = Type.Object(
  {
    read: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean({ description: 'false restores an archived message.' })),
  },
  { $id: 'MailPatchInputBody', additionalProperties: false },
)
export type MailPatch = Static<typeof MailPatch>

export const MailEventPayload = Type.Object(
  { rig: Type.String({ description: 'The label of the request; may be empty.' }), message: Type.Optional(Message) },
  { $id: 'MailEventPayload', additionalProperties: false },
)
export type MailEventPayload = Static<typeof MailEventPayload>

const agent = Type.Optional(
  Type.String({ description: 'Only mail for this session, agent or `human`, by any of its names.' }),
)
const rig = Type.Optional(
  Type.String({ description: 'A label that the messages in the response get; it filters nothing.' }),
)

export const MailLabel = Type.Object({ rig })
export const MailCountQuery = Type.Object({ agent, rig })
export type MailCountQuery = Static<typeof MailCountQuery>

export const MailQuery = Type.Object({
  agent,
  status: Type.Optional(Type.String({ description: '`unread` by default; `all` includes read messages.' })),
  rig,
  ...paging,
})
export type MailQuery = Static<typeof MailQuery>

export const InboxQuery = Type.Object({
  agent: Type.Optional(
    Type.String({
      description: 'The inbox of this session, agent or `human`, by any of its names; the caller’s own when absent.',
    }),
  ),
  ...paging,
})
export type InboxQuery = Static<typeof InboxQuery>
