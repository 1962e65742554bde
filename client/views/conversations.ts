import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { type Action, isOneOf, type Line, type Reach, table, text } from './page.ts'
import { textLines } from './sections.ts'

type Conversation = Output<'GET ~/extmsg/conversation/{id}'>
type Message = Output<'GET ~/extmsg/transcript'>['items'][number]
type Group = Output<'GET ~/extmsg/groups'>

const PAGE = 200
const NOBODY = { text: 'nobody', tone: 'quiet' } as const
/** Maximum messages of a transcript that are shown. */
const MESSAGES = 500

/** Conversations with people in messengers, and who answers each: a session, an agent or a group. */
export const conversationsPage = table<Conversation>({
  name: 'conversations',
  aliases: ['extmsg'],
  title: 'conversations outside',
  help: 'conversations with people in messengers, and who answers each',
  empty: 'none: gc extmsg bind binds a conversation to a session',
  columns: [
    { title: 'messenger', width: 12, cell: ({ conversation }) => conversation.provider },
    {
      title: 'conversation',
      width: 16,
      grows: true,
      isName: true,
      cell: ({ conversation }) => conversation.conversation_id,
    },
    { title: 'kind', width: 6, leaves: 2, cell: ({ conversation }) => ({ text: conversation.kind, tone: 'quiet' }) },
    { title: 'answered by', width: 14, grows: true, isName: true, cell: (view) => answeredBy(view) || NOBODY },
    {
      title: 'no recipient',
      width: 16,
      grows: true,
      leaves: 3,
      cell: ({ undelivered }) => ({ text: undelivered ?? '', tone: 'warning' }),
    },
    { title: 'said', width: 5, leaves: 1, cell: ({ last_sequence: count }) => String(count) },
    { title: 'age', width: 4, cell: ({ updated_at }) => ({ since: updated_at, tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('extmsg.', 'attention.'),
  opens: ({ id }, city) => ({ page: 'conversation', city, subject: id }),
  load: async ({ city, signal }, { cursor }) => {
    const query = { limit: PAGE, ...(cursor && { cursor }) }
    const call = { query, ...(signal && { signal }) }
    const { items, total, next_cursor: next } = await city.call('GET ~/extmsg/conversations', call)
    return { items, total, next }
  },
  actionsOf: actionsOf,
})

/** Messages of people and sessions in one conversation, with its replying session. */
export const conversationPage = text({
  name: 'conversation',
  about: 'conversation',
  title: 'conversation',
  help: 'the messages of a conversation outside, and who answers it',
  isChangedBy: isOneOf('extmsg.', 'attention.'),
  load: async (reach) => {
    const { city, subject: id, signal } = reach
    const view = await city.call('GET ~/extmsg/conversation/{id}', { params: { id }, ...(signal && { signal }) })
    const query = { ...view.conversation, limit: MESSAGES, order: 'desc' as const }
    const [{ items }, group] = await Promise.all([
      city.call('GET ~/extmsg/transcript', { query, ...(signal && { signal }) }),
      groupOf(reach, view),
    ])
    const session = view.binding?.SessionID
    return {
      head: headLines(view, group),
      lines: items.toReversed().flatMap(messageLines),
      actions: actionsOf(view),
      opens: session ? { page: 'session', city: city.name, subject: session } : undefined,
    }
  },
})

async function groupOf({ city, signal }: Reach, { conversation, group_id }: Conversation): Promise<Group | undefined> {
  if (group_id === undefined) return undefined
  const { scope_id, provider, account_id, conversation_id, kind } = conversation
  const query = { scope_id, provider, account_id, conversation_id, kind }
  return city.call('GET ~/extmsg/groups', { query, ...(signal && { signal }) })
}

function answeredBy({ binding, group_id }: Conversation): string {
  if (binding) return binding.AgentName || binding.SessionName || binding.SessionID
  return group_id === undefined ? '' : `group ${group_id}`
}

function headLines(view: Conversation, group: Group | undefined): Line[] {
  const { provider, account_id, conversation_id, kind } = view.conversation
  const who = answeredBy(view)
  return [
    { text: `${provider}/${account_id}/${conversation_id} · ${kind}`, tone: 'strong' },
    who === ''
      ? { text: 'no session replies: b binds it to one', tone: 'warning' }
      : { text: `answered by ${who}${view.binding?.SessionID ? ' (enter opens it)' : ''}` },
    ...(view.undelivered
      ? [{ text: `its messages are not delivered: ${view.undelivered}`, tone: 'bad' as const }]
      : []),
    ...(group ? [groupLine(group)] : []),
  ]
}

const groupLine = ({ DefaultHandle: first, LastAddressedHandle: last }: Group): Line => ({
  text: `messages without a name go to ${last || first || 'no session'}; the default is ${first || 'none'}`,
})

const messageLines = (message: Message): Line[] => [
  { text: `${message.Sequence}  ${formatTime(message.CreatedAt)}  ${authorOf(message)}`, tone: 'strong' },
  ...textLines(message.Text, '   '),
  ...(message.Attachments ?? []).map(({ url, mime_type }): Line => ({ text: `   ${mime_type} ${url}`, tone: 'quiet' })),
  { text: '' },
]

function authorOf({ Actor, SourceSessionID: session, ExplicitTarget: target }: Message): string {
  const author = session === '' ? Actor.display_name || Actor.id : `session ${session}`
  return target === '' ? author : `${author} to ${target}`
}

function actionsOf({ id, conversation, binding, undelivered }: Conversation): Action[] {
  const name = conversation.conversation_id
  return [
    {
      key: 'b',
      name: 'bind',
      help: 'have another session answer it',
      fields: [{ name: 'who', title: 'session, or agent with a session of its own' }],
      run: async ({ city }, { who = '' }) => {
        await bindTo(city, conversation, who)
        return { text: `${who} answers ${name}` }
      },
    },
    {
      key: 'x',
      name: 'unbind',
      help: 'unbind it',
      disabled: binding || undelivered ? undefined : 'it is not bound',
      confirm: binding
        ? `Unbind ${name}? New messages there then reach no session.`
        : `Leave the last message of ${name} without an answer?`,
      run: async ({ city }) => {
        await city.call('POST ~/extmsg/unbind', { body: { conversation } })
        return { text: `${name} is unbound` }
      },
    },
    copy('y', 'copy', 'its id', id),
  ]
}

/** A named session answers under its name, whichever session that is then; any other by its id. */
async function bindTo(city: CityClient, conversation: Conversation['conversation'], who: string): Promise<void> {
  const bind = (target: { agent_name: string } | { session_id: string }) =>
    city.call('POST ~/extmsg/bind', { body: { conversation, replace: true, ...target } })
  try {
    await bind({ agent_name: who })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const { id } = await city.call('GET ~/session/{id}', { params: { id: who } })
    await bind({ session_id: id })
  }
}
