import { isObject } from '../../core/json.ts'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Message } from '../schema.ts'
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
} from './schema.ts'

type City = CityOf<{ mail: Mail }>

/** Permission needed for mail of others. */
const ofOthers = { needs: 'mail', ownable: 'message' } as const

/** The label of a rig that a request gives its message. */
const rigIn = (value: unknown): string => (isObject(value) && typeof value.rig === 'string' ? value.rig : '')

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
    (exchange) => city(exchange).mail.list(exchange.query),
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
    (exchange) => city(exchange).mail.count(exchange.query),
  ),
  route(
    'GET ~/mail/inbox',
    {
      id: 'get-v0-city-by-city-name-mail-inbox',
      summary: 'Show the inbox of a session, an agent or a person',
      description: 'Newest first, read and unread; archived messages are left out.',
      query: InboxQuery,
      ok: MailListBody,
      errors: ['invalid-cursor'],
      index: true,
      blocking: 'by-caller',
    },
    (exchange) => city(exchange).mail.inbox(exchange.caller, exchange.query),
  ),
  route(
    'GET ~/mail/threads',
    {
      id: 'get-v0-city-by-city-name-mail-threads',
      summary: 'List threads',
      description: 'The newest message of each thread; with `agent`, only threads that contain mail for it.',
      query: InboxQuery,
      ok: MailListBody,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (exchange) => city(exchange).mail.threads(exchange.query),
  ),
  route(
    'GET ~/mail/thread/{id}',
    {
      id: 'get-v0-city-by-city-name-mail-thread-by-id',
      summary: 'Show a thread',
      description: 'Oldest first, by the id of the thread or of one of its messages. An unknown thread is empty.',
      query: MailLabel,
      ok: MailListBody,
      index: true,
    },
    (exchange) => city(exchange).mail.thread(exchange.params.id, exchange.query.rig),
  ),
]

const writeRoutes = (city: City) => [
  route(
    'POST ~/mail',
    {
      id: 'send-mail',
      summary: 'Send a message',
      needs: 'work',
      description: 'The message begins a thread. A running recipient is notified; for others the message waits.',
      repeat: { read: (from, id) => city(from).mail.sent(id, rigIn(from.body)) },
      body: MailSendInputBody,
      ok: { 201: Message },
      errors: ['invalid-request', 'forbidden'],
      index: true,
    },
    (exchange) => city(exchange).mail.send(exchange.caller, exchange.body),
  ),
  route(
    'POST ~/mail/{id}/reply',
    {
      id: 'reply-mail',
      summary: 'Reply to a message',
      needs: 'work',
      description: 'The reply goes to the sender and belongs to the same thread.',
      query: MailLabel,
      repeat: { read: (from, id) => city(from).mail.sent(id, rigIn(from.query) || from.params.cityName) },
      body: MailReplyInputBody,
      ok: { 201: Message },
      errors: ['mail-not-found', 'invalid-request', 'forbidden'],
      index: true,
    },
    (exchange) =>
      city(exchange).mail.reply(exchange.caller, exchange.params.id, exchange.body, {
        rig: exchange.query.rig,
      }),
  ),
]

const messageRoutes = (city: City) => [
  route(
    'GET ~/mail/{id}',
    {
      id: 'get-v0-city-by-city-name-mail-by-id',
      summary: 'Show a message',
      description: 'This does not mark it as read.',
      query: MailLabel,
      ok: Message,
      errors: ['mail-not-found'],
      index: true,
    },
    (exchange) => city(exchange).mail.get(exchange.params.id, exchange.query.rig),
  ),
  route(
    'PATCH ~/mail/{id}',
    {
      id: 'patch-v0-city-by-city-name-mail-by-id',
      summary: 'Mark or archive a message',
      needs: ofOthers,
      description:
        'Absent fields do not change. The response is the message; marking it as read records that you read it.',
      repeat: { read: (from, id) => city(from).mail.get(id, rigIn(from.body)) },
      body: MailPatch,
      ok: Message,
      errors: ['mail-not-found'],
      index: true,
    },
    (exchange) => city(exchange).mail.patch(exchange.caller, exchange.params.id, exchange.body),
  ),
  route(
    'DELETE ~/mail/{id}',
    {
      id: 'delete-v0-city-by-city-name-mail-by-id',
      summary: 'Delete a message',
      needs: ofOthers,
      description: 'The message leaves every list; its bead is closed and kept. Deleting it again changes nothing.',
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    (exchange) => city(exchange).mail.delete(exchange.caller, exchange.params.id, exchange.query.rig),
  ),
  markRoute(city, 'read', 'Mark a message as read'),
  markRoute(city, 'mark-unread', 'Mark a message as unread'),
  route(
    'POST ~/mail/{id}/archive',
    {
      id: 'post-v0-city-by-city-name-mail-by-id-archive',
      summary: 'Archive a message',
      needs: ofOthers,
      description: 'The message leaves every list. Archiving it again changes nothing.',
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    (exchange) => city(exchange).mail.archive(exchange.caller, exchange.params.id, exchange.query.rig),
  ),
]

const markRoute = (city: City, verb: 'read' | 'mark-unread', summary: string) =>
  route(
    `POST ~/mail/{id}/${verb}`,
    {
      id: `post-v0-city-by-city-name-mail-by-id-${verb}`,
      summary,
      needs: ofOthers,
      query: MailLabel,
      ok: OKResponseBody,
      errors: ['mail-not-found'],
    },
    ({ caller, params, query: { rig } }) => {
      const { mail } = city({ params })
      return verb === 'read' ? mail.read(caller, params.id, rig) : mail.markUnread(caller, params.id, rig)
    },
  )
