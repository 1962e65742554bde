import { type Static, Type } from '@sinclair/typebox'
import { listOf, paging } from '../../http/schema.ts'
import { Message } from '../schema.ts'

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
