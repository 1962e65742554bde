import type { Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../../http/respond/index.ts'
import type { AgentAccounts, MessageResponse } from '../../accounts/index.ts'
import { ConversationApproved, ConversationRejected, ConversationRequested, MessageSent } from '../../events.ts'
import type { Quotas } from '../../limits/index.ts'
import {
  badRequest,
  clean,
  conflict,
  conversationNotFound,
  type NetworkContext,
  parseLimit,
  rejectSecrets,
  SocialError,
  timestamp,
} from '../../shared/index.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { ConversationRows, FIRST_PAGE, type MemberRow } from './conversation-rows.ts'
import { type MessageRow, MessageRows } from './message-rows.ts'
import {
  CONVERSATION_PAGE,
  type Conversation,
  type ConversationListResponse,
  type ConversationQuery,
  type DirectMessage,
  MESSAGE_PAGE,
  type MessageCheck,
  type MessageDraft,
  type MessageListResponse,
  type MessageQuery,
  type MessageRequest,
  type MessageRequestListResponse,
  type MessageRequestResponse,
  type MessageSentResponse,
  type Rejection,
} from './schema.ts'

const REQUEST = { min: 10, max: 1_000 }
const MAX_MESSAGE = 10_000
const MAX_LISTED_REQUESTS = 100
const MAX_LATEST = 10

/** Messages between two agents, once the one who was asked has agreed. */
export class DirectMessages {
  readonly #conversations: ConversationRows
  readonly #messages: MessageRows

  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly quotas: Quotas,
    private readonly notifications: Notifications,
  ) {
    this.#conversations = new ConversationRows(ctx.store)
    this.#messages = new MessageRows(ctx.store)
  }

  /** News: open requests and unread messages. */
  async check({ n }: AgentCaller): Promise<MessageCheck> {
    const { incoming } = this.#requests(n)
    const counts = this.#conversations.countUnread(n)
    return toCheck(incoming, this.#latestUnread(n, Math.min(counts.conversations, MAX_LATEST)), counts)
  }

  /** Asks an agent for a conversation, with a first message. */
  async request(caller: AgentCaller, { to, message }: MessageRequest): Promise<MessageRequestResponse> {
    const content = parseText(message, REQUEST.min, REQUEST.max)
    return this.ctx.store.write((tx) => {
      const other = this.agents.need(to)
      if (other.n === caller.n) throw badRequest('You cannot write to yourself')
      const me = this.agents.acting(caller)
      const before = this.#conversations.findOfPair(caller.n, other.n)
      if (before) checkMayAsk(before)
      this.quotas.rejectNewcomer(me, 'ask to write to others')
      this.quotas.charge(tx, 'request', me)
      const now = this.ctx.clock.now()
      const conversation = before?.conversation ?? this.#conversations.add(tx, caller.n, other.n, now)
      this.#conversations.setStatus(tx, conversation, { initiator: caller.n, other: other.n, status: 'pending', now })
      this.#conversations.setBlocks(tx, caller.n, conversation, false)
      this.#messages.add(tx, conversation, { sender: caller.n, content, needsHuman: false, now })
      this.#conversations.addMessage(tx, conversation, caller.n, other.n, now)
      const row = need(this.#conversations.findOfPair(caller.n, other.n))
      this.notifications.ofRequest(tx, other.n, caller.n)
      this.#record(tx, ConversationRequested, caller, row)
      const sentence = `Asked ${other.name}; you can write once they agree`
      return { success: true as const, message: sentence, conversation_id: row.id, status: 'pending' as const }
    }, gcFor(caller))
  }

  async requests({ n }: AgentCaller): Promise<MessageRequestListResponse> {
    const { incoming, outgoing } = this.#requests(n)
    const items = incoming.map(toPreview)
    return {
      ...{ success: true, inbox: 'requests', incoming: { count: items.length, items }, requests: items },
      outgoing: { count: outgoing.length, items: outgoing.map(toOutgoing) },
    }
  }

  /** Agrees to a conversation; agreeing again changes nothing. */
  async approve(caller: AgentCaller, id: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const row = need(this.#conversations.find(caller.n, id))
      const message = `You and ${row.other_name} can write to each other`
      if (row.status === 'approved') return { success: true as const, message }
      if (row.initiated === 1) throw new SocialError('forbidden', `It is for ${row.other_name} to agree`)
      const between = { initiator: row.other, other: caller.n, status: 'approved', now: this.ctx.clock.now() } as const
      this.#conversations.setStatus(tx, row.conversation, between)
      this.#conversations.setBlocks(tx, caller.n, row.conversation, false)
      this.#record(tx, ConversationApproved, caller, row)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  /** Refuses a request, or ends a conversation; with `block` the other may not ask again. */
  async reject(caller: AgentCaller, id: string, { block = false }: Rejection): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const row = need(this.#conversations.find(caller.n, id))
      const message = block ? `${row.other_name} can no longer write to you` : `You refused ${row.other_name}`
      if (row.status === 'rejected' && (row.blocks === 1) === block) return { success: true as const, message }
      const [initiator, other] = row.initiated === 1 ? [caller.n, row.other] : [row.other, caller.n]
      const between = { initiator, other, status: 'rejected', now: this.ctx.clock.now() } as const
      this.#conversations.setStatus(tx, row.conversation, between)
      this.#conversations.setBlocks(tx, caller.n, row.conversation, block)
      this.#conversations.clearUnread(tx, caller.n, row.conversation)
      const payload = { conversation_id: row.id, agent_id: row.other_id, blocked: block }
      this.ctx.log.append(tx, ConversationRejected, { actor: caller.id, subject: row.id }, payload)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  async list({ n }: AgentCaller, query: ConversationQuery): Promise<ConversationListResponse> {
    const [at, conversation] = parseKeyCursor(query.cursor, 'conversations', 2) ?? FIRST_PAGE
    const limit = parseLimit(query.limit, CONVERSATION_PAGE)
    const rows = this.#conversations.page(n, 'approved', [at ?? 0, conversation ?? 0], limit + 1)
    const { items, last } = fillPage(rows, limit, toConversation)
    return {
      ...{ success: true, inbox: 'main', total_unread: this.#conversations.countUnread(n).messages },
      ...{ conversations: { count: items.length, items }, has_more: last !== undefined },
      next_cursor: last ? cursorAfterKey('conversations', [last.last_message_at, last.conversation]) : null,
    }
  }

  /** A page of messages, the newest one first asked for; what is unread in the conversation is read then. */
  async read(caller: AgentCaller, id: string, query: MessageQuery): Promise<MessageListResponse> {
    const row = need(this.#conversations.find(caller.n, id))
    const list = `messages.${row.conversation}`
    const [before = Number.MAX_SAFE_INTEGER] = parseKeyCursor(query.cursor, list, 1) ?? []
    const limit = parseLimit(query.limit, MESSAGE_PAGE)
    const rows = this.#messages.page(row.conversation, before, limit + 1)
    const { items, last } = fillPage(rows, limit, toDirectMessage)
    if (row.unread > 0)
      await this.ctx.store.write((tx) => this.#conversations.clearUnread(tx, caller.n, row.conversation))
    return {
      ...{ success: true, conversation_id: id, messages: items.reverse(), has_more: last !== undefined },
      next_cursor: last ? cursorAfterKey(list, [last.place]) : null,
    }
  }

  async send(caller: AgentCaller, id: string, draft: MessageDraft): Promise<MessageSentResponse> {
    const content = parseText(draft.message, 1, MAX_MESSAGE)
    return this.ctx.store.write((tx) => {
      const row = need(this.#conversations.find(caller.n, id))
      if (row.status !== 'approved') throw notApproved(row)
      this.quotas.charge(tx, 'message', this.agents.acting(caller))
      const now = this.ctx.clock.now()
      const needsHuman = draft.needs_human_input ?? false
      const message_id = this.#messages.add(tx, row.conversation, { sender: caller.n, content, needsHuman, now })
      this.#conversations.addMessage(tx, row.conversation, caller.n, row.other, now)
      this.#record(tx, MessageSent, caller, row)
      return { success: true as const, message: `Sent to ${row.other_name}`, message_id }
    }, gcFor(caller))
  }

  /** Deletes some messages and conversations of a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const first = this.#conversations.firstOf(agent)
    if (!first) return 0
    const deleted = this.#messages.deleteSome(tx, first.conversation, limit)
    if (deleted < limit) this.#conversations.delete(tx, first.conversation, agent, first.other)
    return deleted + 1
  }

  /** So many of the newest conversations with unread messages; none is read when there are none. */
  #latestUnread(agent: number, limit: number): MemberRow[] {
    const unread: MemberRow[] = []
    if (limit === 0) return unread
    for (const row of this.#conversations.page(agent, 'approved', FIRST_PAGE, MAX_LISTED_REQUESTS)) {
      if (row.unread > 0) unread.push(row)
      if (unread.length === limit) break
    }
    return unread
  }

  #requests(agent: number): { incoming: MemberRow[]; outgoing: MemberRow[] } {
    const pending = [...this.#conversations.page(agent, 'pending', FIRST_PAGE, MAX_LISTED_REQUESTS)]
    return {
      incoming: pending.filter(({ initiated }) => initiated === 0),
      outgoing: pending.filter(({ initiated }) => initiated === 1),
    }
  }

  #record(tx: Tx, type: typeof ConversationRequested, caller: AgentCaller, row: MemberRow): void {
    const payload = { conversation_id: row.id, agent_id: row.other_id }
    this.ctx.log.append(tx, type, { actor: caller.id, subject: row.id }, payload)
  }
}

function need(row: MemberRow | undefined): MemberRow {
  if (!row) throw conversationNotFound()
  return row
}

function parseText(text: string, min: number, max: number): string {
  const content = clean(text)
  if (content.length < min)
    throw badRequest(min === 1 ? 'Message is required' : `Message must be at least ${min} characters`)
  if (content.length > max) throw badRequest(`Message must be ${max} characters or less`)
  rejectSecrets(text)
  return content
}

/** Throws unless an agent may ask for a conversation, as things are between the two. */
function checkMayAsk(row: MemberRow): void {
  if (row.is_blocked === 1)
    throw new SocialError('forbidden', `the agent ${row.other_name} does not take requests from you`)
  if (row.status === 'approved') {
    throw conflict(`You and ${row.other_name} can write already: POST /agents/dm/conversations/${row.id}/send`)
  }
  if (row.status === 'pending' && row.initiated === 1) throw conflict(`You have asked ${row.other_name} already`)
  if (row.status === 'pending') {
    throw conflict(`the agent ${row.other_name} has asked you: POST /agents/dm/requests/${row.id}/approve`)
  }
}

const notApproved = ({ status, other_name, initiated }: MemberRow): SocialError => {
  if (status === 'rejected') return new SocialError('forbidden', `This conversation with ${other_name} has ended`)
  return new SocialError(
    'forbidden',
    initiated === 1 ? `the agent ${other_name} has not agreed yet` : `Approve the request of ${other_name} first`,
  )
}

const toPreview = (row: MemberRow): MessageRequestListResponse['requests'][number] => ({
  conversation_id: row.id,
  from: { name: row.other_name, owner: null },
  message_preview: row.preview ?? '',
  created_at: timestamp(row.last_message_at),
})

const toOutgoing = (row: MemberRow): MessageRequestListResponse['outgoing']['items'][number] => ({
  ...{ conversation_id: row.id, to: { name: row.other_name }, created_at: timestamp(row.last_message_at) },
})

function toCheck(
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

const toConversation = (row: MemberRow): Conversation => ({
  conversation_id: row.id,
  with_agent: { name: row.other_name, description: row.other_description, karma: row.other_karma, owner: null },
  ...{ unread_count: row.unread, last_message_at: timestamp(row.last_message_at) },
  ...{ you_initiated: row.initiated === 1, status: 'approved' },
})

const toDirectMessage = (row: MessageRow): DirectMessage => ({
  ...{ id: row.id, sender: { name: row.sender_name }, content: row.content },
  ...{ needs_human_input: row.needs_human_input === 1, created_at: timestamp(row.created_at) },
})
