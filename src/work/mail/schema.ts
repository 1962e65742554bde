import { type Static, Type } from '@sinclair/typebox'
import { listOf, paging } from '../../http/schema.ts'

/** A letter from one session or person to another. */
export const Message = Type.Object(
  {
    id: Type.String({ description: 'The id of its bead.' }),
    from: Type.String({ description: 'Who sent it: a session by one of its names, or `human`.' }),
    to: Type.String({ description: 'Whom it is for: a session, an agent, or `human`.' }),
    subject: Type.String(),
    body: Type.String(),
    created_at: Type.String({ format: 'date-time', description: 'When it was sent.' }),
    read: Type.Boolean(),
    thread_id: Type.Optional(Type.String({ description: 'The conversation it belongs to.' })),
    reply_to: Type.Optional(Type.String({ description: 'The message it answers.' })),
    priority: Type.Optional(Type.Integer({ format: 'int64' })),
    cc: Type.Optional(Type.Array(Type.String(), { description: 'Who else was meant to know.' })),
    rig: Type.Optional(Type.String({ description: 'The `rig` that was asked with; else the name of the city.' })),
  },
  { $id: 'Message', additionalProperties: false },
)
export type Message = Static<typeof Message>

export const MailListBody = listOf(Message, 'MailListBody')
export type MailListBody = Static<typeof MailListBody>

export const MailCountOutputBody = Type.Object(
  {
    total: Type.Integer({ format: 'int64', description: 'Messages that are not archived.' }),
    unread: Type.Integer({ format: 'int64', description: 'Those of them that nobody has read.' }),
    partial: Type.Optional(Type.Boolean({ description: 'Some source could not be read.' })),
    partial_errors: Type.Optional(Type.Array(Type.String(), { description: 'Which, and why.' })),
  },
  { $id: 'MailCountOutputBody', additionalProperties: false },
)
export type MailCountOutputBody = Static<typeof MailCountOutputBody>

const from = Type.Optional(
  Type.String({ description: 'A session may only give one of its own names; a person may give a label.' }),
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
    rig: Type.Optional(Type.String({ description: 'A label that comes back in the answer; a city has one mailbox.' })),
  },
  { $id: 'MailSendInputBody', additionalProperties: false },
)
export type MailSendInputBody = Static<typeof MailSendInputBody>

export const MailReplyInputBody = Type.Object(
  {
    from,
    subject: Type.Optional(Type.String({ description: '`Re:` and the subject it answers, when absent.' })),
    body: Type.Optional(Type.String({ description: 'At most 256 KB.' })),
  },
  { $id: 'MailReplyInputBody', additionalProperties: false },
)
export type MailReplyInputBody = Static<typeof MailReplyInputBody>

export const MailPatch = Type.Object(
  {
    read: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean({ description: 'false brings an archived message back.' })),
  },
  { $id: 'MailPatchInputBody', additionalProperties: false },
)
export type MailPatch = Static<typeof MailPatch>

export const MailEventPayload = Type.Object(
  { rig: Type.String({ description: 'The label it was asked with; may be empty.' }), message: Type.Optional(Message) },
  { $id: 'MailEventPayload', additionalProperties: false },
)
export type MailEventPayload = Static<typeof MailEventPayload>

const agent = Type.Optional(Type.String({ description: 'Only mail for this session, agent or `human`, by any name.' }))
const rig = Type.Optional(Type.String({ description: 'A label for the messages that are shown; selects nothing.' }))

export const MailLabel = Type.Object({ rig })
export const MailCountQuery = Type.Object({ agent, rig })
export type MailCountQuery = Static<typeof MailCountQuery>

export const MailQuery = Type.Object({
  agent,
  status: Type.Optional(Type.String({ description: '`unread` when absent; `all` shows read ones too.' })),
  rig,
  ...paging,
})
export type MailQuery = Static<typeof MailQuery>

export const InboxQuery = Type.Object({
  agent: Type.Optional(
    Type.String({ description: 'Whose: a session, an agent or `human`, by any name; absent: the caller’s own.' }),
  ),
  ...paging,
})
export type InboxQuery = Static<typeof InboxQuery>
