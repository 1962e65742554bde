import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Mail } from './mail.ts'
import {
  InboxQuery,
  MailCountOutputBody,
  MailCountQuery,
  MailLabel,
  MailListBody,
  MailPatch,
  MailQuery,
  MailReplyInputBody,
  MailSendInputBody,
  Message,
} from './schema.ts'

type City = CityOf<{ mail: Mail }>

const once = { 'Idempotency-Key': 'The same key with the same body sends one message and answers the same.' }

/** The operations on mail. */
export const mailRoutes = (city: City) => [...boxRoutes(city), ...writeRoutes(city), ...messageRoutes(city)]

const boxRoutes = (city: City) => [
  route(
    'GET ~/mail',
    {
      id: 'get-v0-city-by-city-name-mail',
      summary: 'List mail',
      description: 'Newest first: unread messages, or with `status=all` every message that is not archived.',
      query: MailQuery,
      ok: MailListBody,
      errors: ['invalid-cursor', 'invalid-request'],
      index: true,
      blocking: true,
    },
    (x) => city(x).mail.list(x.query),
  ),
  route(
    'GET ~/mail/count',
    {
      id: 'get-v0-city-by-city-name-mail-count',
      summary: 'Count mail',
      query: MailCountQuery,
      ok: MailCountOutputBody,
      age: true,
    },
    (x) => city(x).mail.count(x.query),
  ),
  route(
    'GET ~/mail/inbox',
    {
      id: 'get-v0-city-by-city-name-mail-inbox',
      summary: 'Show the inbox of a session, an agent or a person',
      description: 'Newest first, read or not; what is archived is left out.',
      query: InboxQuery,
      ok: MailListBody,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (x) => city(x).mail.inbox(x.caller, x.query),
  ),
  route(
    'GET ~/mail/threads',
    {
      id: 'get-v0-city-by-city-name-mail-threads',
      summary: 'List threads',
      description: 'One row a thread, its newest message; with `agent`, threads that hold mail for it.',
      query: InboxQuery,
      ok: MailListBody,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (x) => city(x).mail.threads(x.query),
  ),
  route(
    'GET ~/mail/thread/{id}',
    {
      id: 'get-v0-city-by-city-name-mail-thread-by-id',
      summary: 'Show a thread',
      description: 'Oldest first, by the id of the thread or of one of its messages. An unknown one is empty.',
      query: MailLabel,
      ok: MailListBody,
      index: true,
    },
    (x) => city(x).mail.thread(x.params.id, x.query.rig),
  ),
]

const writeRoutes = (city: City) => [
  route(
    'POST ~/mail',
    {
      id: 'send-mail',
      summary: 'Send a message',
      description: 'It begins a thread. A running session it is for is told of it; for others it waits.',
      body: MailSendInputBody,
      ok: { 201: Message },
      errors: ['invalid-request', 'forbidden'],
      index: true,
      headers: once,
    },
    (x) => city(x).mail.send(x.caller, x.body, x.saveResponse),
  ),
  route(
    'POST ~/mail/{id}/reply',
    {
      id: 'reply-mail',
      summary: 'Answer a message',
      description: 'The reply goes to its sender and stays in its thread.',
      query: MailLabel,
      body: MailReplyInputBody,
      ok: { 201: Message },
      errors: ['mail-not-found', 'invalid-request', 'forbidden'],
      index: true,
      headers: once,
    },
    (x) => city(x).mail.reply(x.caller, x.params.id, x.body, { rig: x.query.rig, saveResponse: x.saveResponse }),
  ),
]

const messageRoutes = (city: City) => [
  route(
    'GET ~/mail/{id}',
    {
      id: 'get-v0-city-by-city-name-mail-by-id',
      summary: 'Show a message',
      description: 'It stays unread.',
      query: MailLabel,
      ok: Message,
      errors: ['mail-not-found'],
      index: true,
    },
    (x) => city(x).mail.get(x.params.id, x.query.rig),
  ),
  route(
    'PATCH ~/mail/{id}',
    {
      id: 'patch-v0-city-by-city-name-mail-by-id',
      summary: 'Mark or archive a message',
      description:
        'What is absent stays. It answers with the message: one that is marked as read here counts as read by you.',
      body: MailPatch,
      ok: Message,
      errors: ['mail-not-found'],
      index: true,
    },
    (x) => city(x).mail.patch(x.caller, x.params.id, x.body),
  ),
  route(
    'DELETE ~/mail/{id}',
    {
      id: 'delete-v0-city-by-city-name-mail-by-id',
      summary: 'Delete a message',
      description: 'It leaves every list; its bead is kept, closed. What is gone already stays gone.',
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    (x) => city(x).mail.delete(x.params.id, x.query.rig),
  ),
  markRoute(city, 'read', 'Mark a message as read'),
  markRoute(city, 'mark-unread', 'Mark a message as not read'),
  route(
    'POST ~/mail/{id}/archive',
    {
      id: 'post-v0-city-by-city-name-mail-by-id-archive',
      summary: 'Archive a message',
      description: 'It leaves every list. What is archived or gone already stays so.',
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    (x) => city(x).mail.archive(x.params.id, x.query.rig),
  ),
]

const markRoute = (city: City, verb: 'read' | 'mark-unread', summary: string) =>
  route(
    `POST ~/mail/{id}/${verb}`,
    {
      id: `post-v0-city-by-city-name-mail-by-id-${verb}`,
      summary,
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    ({ params, query: { rig } }) => {
      const { mail } = city({ params })
      return verb === 'read' ? mail.read(params.id, rig) : mail.markUnread(params.id, rig)
    },
  )
