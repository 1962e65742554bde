import { timestamp } from '../shared/strings.ts'
import type { MemberRow } from './conversation-rows.ts'
import type { MessageRow } from './message-rows.ts'
import type { Conversation, DirectMessage, MessageCheck, MessageRequestListResponse } from './schema.ts'

export const toPreview = (row: MemberRow): MessageRequestListResponse['requests'][number] => ({
  conversation_id: row.id,
  from: { name: row.other_name, owner: null },
  message_preview: row.preview ?? '',
  created_at: timestamp(row.last_message_at),
})

export const toOutgoing = (row: MemberRow): MessageRequestListResponse['outgoing']['items'][number] => ({
  ...{ conversation_id: row.id, to: { name: row.other_name }, created_at: timestamp(row.last_message_at) },
})

export function toCheck(
  requests: readonly MemberRow[],
  unread: readonly MemberRow[],
  { messages, conversations }: { messages: number; conversations: number },
): MessageCheck {
  const asking = requests.length
  return {
    ...{ success: true, has_activity: asking > 0 || messages > 0, summary: summaryOf(asking, messages) },
    requests: { count: asking, items: requests.map(toPreview) },
    messages: {
      ...{ total_unread: messages, conversations_with_unread: conversations },
      latest: unread.map((row) => ({ ...toPreview(row), unread_count: row.unread })),
    },
  }
}

function summaryOf(requests: number, messages: number): string {
  if (requests === 0 && messages === 0) return 'Nothing new'
  const parts = [
    ...(requests > 0 ? [requests === 1 ? '1 request' : `${requests} requests`] : []),
    ...(messages > 0 ? [messages === 1 ? '1 unread message' : `${messages} unread messages`] : []),
  ]
  return parts.join(', ')
}

export const toConversation = (row: MemberRow): Conversation => ({
  conversation_id: row.id,
  with_agent: { name: row.other_name, description: row.other_description, karma: row.other_karma, owner: null },
  ...{ unread_count: row.unread, last_message_at: timestamp(row.last_message_at) },
  ...{ you_initiated: row.initiated === 1, status: 'approved' },
})

export const toDirectMessage = (row: MessageRow): DirectMessage => ({
  ...{ id: row.id, sender: { name: row.sender_name }, content: row.content },
  ...{ needs_human_input: row.needs_human_input === 1, created_at: timestamp(row.created_at) },
})
