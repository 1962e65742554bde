import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { type Action, isOneOf, table, text } from './page.ts'

type Message = Output<'GET ~/mail'>['items'][number]

const PAGE = 200

/** Name of the operator for others. */
const ME = 'human'

/** The orders of the list, and which messages each shows. */
const ORDERS: Readonly<Record<string, { status: string; agent?: string }>> = {
  'read and unread': { status: 'all' },
  'unread ones': { status: 'unread' },
  'yours, read and unread': { status: 'all', agent: ME },
}

/** The open mail of the city, newest first; what is for the operator stands out. */
export const mailPage = table<Message>({
  name: 'mail',
  title: 'mail',
  help: 'messages between sessions, agents and people',
  empty: 'no open mail: n writes a message',
  sorts: Object.keys(ORDERS),
  columns: [
    { title: '', width: 1, cell: ({ read }) => ({ text: read ? '' : '•', tone: 'warning' }) },
    { title: 'from', width: 16, isName: true, cell: ({ from }) => from },
    {
      title: 'to',
      width: 16,
      isName: true,
      cell: ({ to }) => (to === ME ? { text: 'you', tone: 'strong' } : { text: to, tone: 'quiet' }),
    },
    { title: 'subject', width: 16, grows: true, cell: ({ subject }) => subject },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('mail.'),
  opens: ({ thread_id: thread, id }, city) => ({ page: 'thread', city, subject: thread ?? id }),
  load: async ({ city, signal }, { cursor, sort }) => {
    const query = { limit: PAGE, ...(ORDERS[sort ?? ''] ?? { status: 'all' }), ...(cursor && { cursor }) }
    const { items, total, next_cursor: next } = await city.call('GET ~/mail', { query, ...(signal && { signal }) })
    return { items, total, next }
  },
  actionsOf: (message) => [
    reply(message.id),
    markRead(message, !message.read),
    archive(message.id, message.subject),
    copy('y', 'copy', 'its id', message.id),
  ],
  actions: () => [writeMail],
})

const reply = (id: string): Action => ({
  key: 'r',
  name: 'reply',
  help: 'reply to it',
  fields: [{ name: 'body', title: 'reply', isLong: true }],
  run: async ({ city }, { body = '' }) => {
    const { to } = await city.call('POST ~/mail/{id}/reply', { params: { id }, body: { body } })
    return { text: `replied to ${to}` }
  },
})

/** Marks a message as read, or as not read; its recipient is notified of unread ones. */
const markRead = ({ id, to }: Message, read: boolean): Action => ({
  key: 'm',
  name: read ? 'read' : 'unread',
  help: read ? 'mark it as read' : 'mark it as not read',
  ...(read && to !== ME && { confirm: `Mark ${id} as read? ${to} is no longer notified of it.` }),
  run: async ({ city }) => {
    const message = await city.call('PATCH ~/mail/{id}', { params: { id }, body: { read } })
    return { text: `${id} is ${read ? 'read' : 'not read'}`, undo: markRead(message, !read) }
  },
})

const archive = (id: string, subject: string): Action => ({
  key: 'x',
  name: 'archive',
  help: 'archive it',
  confirm: `Archive "${subject}"? It disappears from the inbox of its recipient.`,
  run: async ({ city }) => {
    await city.call('POST ~/mail/{id}/archive', { params: { id } })
    return { text: `${id} is archived`, undo: { name: 'unarchive', run: unarchive(id) } }
  },
})

const unarchive =
  (id: string): Action['run'] =>
  async ({ city }) => {
    await city.call('PATCH ~/mail/{id}', { params: { id }, body: { archived: false } })
    return { text: `${id} is in the mail again` }
  }

/** Writes a message. */
export const writeMail: Action = {
  key: 'n',
  name: 'compose',
  help: 'write a message',
  fields: [
    { name: 'to', title: 'to: an agent or session' },
    { name: 'subject', title: 'subject' },
    { name: 'body', title: 'text', isOptional: true, isLong: true },
  ],
  run: async ({ city }, { to = '', subject = '', body = '' }) => {
    await city.call('POST ~/mail', { body: { to, subject, ...(body && { body }) } })
    return { text: `sent to ${to}` }
  },
}

/** The messages of one thread, oldest first. */
export const threadPage = text({
  name: 'thread',
  about: 'thread',
  title: 'thread',
  help: 'the messages of a thread',
  isChangedBy: isOneOf('mail.'),
  load: async ({ city, subject: id, signal }) => {
    const { items } = await city.call('GET ~/mail/thread/{id}', { params: { id }, ...(signal && { signal }) })
    const ordered = [...items].sort((a, b) => a.created_at.localeCompare(b.created_at))
    const last = ordered.at(-1)
    const lines = ordered.flatMap(({ from, to, subject, created_at, body }) => [
      { text: subject, tone: 'strong' as const },
      { text: `${from} to ${to} · ${formatTime(created_at)}`, tone: 'quiet' as const },
      ...body.split(/\r?\n/).map((line) => ({ text: `  ${line}` })),
      { text: '' },
    ])
    return { lines, actions: last ? [reply(last.id), markRead(last, !last.read), archive(last.id, last.subject)] : [] }
  },
})
