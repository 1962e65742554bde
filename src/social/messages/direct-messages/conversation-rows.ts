import { command, query, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
import { newId } from '../../shared/index.ts'
import type { ConversationStatus, conversationMembers } from './table.ts'

/** A conversation as one of its agents sees it. */
export interface MemberRow extends Omit<typeof conversationMembers.$inferSelect, 'agent'> {
  id: string
  other_id: string
  other_name: string
  other_description: string
  other_karma: number
  /** True if the other agent wants to hear nothing more. */
  is_blocked: number
  /** The beginning of the newest message. */
  preview: string | null
}

const PREVIEW = 200

const SELECT_MEMBER = `SELECT m.conversation, m.other, m.initiated, m.status, m.blocks, m.unread, m.last_message_at, c.id,
    a.id AS other_id, a.name AS other_name, a.description AS other_description, a.karma AS other_karma,
    o.blocks AS is_blocked, (SELECT substr(d.content, 1, ${PREVIEW}) FROM direct_messages d
      WHERE d.conversation = m.conversation ORDER BY d.place DESC LIMIT 1) AS preview
  FROM conversation_members m JOIN conversations c ON c.n = m.conversation JOIN agents a ON a.n = m.other
  JOIN conversation_members o ON o.agent = m.other AND o.conversation = m.conversation`

export const CONVERSATION_SQL = {
  byId: `${SELECT_MEMBER} WHERE m.agent = ? AND m.conversation = (SELECT n FROM conversations WHERE id = ?)`,
  ofPair: `${SELECT_MEMBER} WHERE m.agent = ? AND m.conversation = (SELECT n FROM conversations WHERE low = ? AND high = ?)`,
  page: `${SELECT_MEMBER} WHERE m.agent = ? AND m.status = ? AND (m.last_message_at, m.conversation) < (?, ?)
    ORDER BY m.last_message_at DESC, m.conversation DESC LIMIT ?`,
}

/** Start of a page of conversations: after a time and a row number. */
export const FIRST_PAGE = [Number.MAX_SAFE_INTEGER, 0] as const

const BY_ID = query<MemberRow, [number, string]>(stablePlan(CONVERSATION_SQL.byId))

const OF_PAIR = query<MemberRow, [number, number, number]>(stablePlan(CONVERSATION_SQL.ofPair))

const PAGE = query<MemberRow, [number, ConversationStatus, number, number, number]>(stablePlan(CONVERSATION_SQL.page))

const COUNT_UNREAD = query<
  { conversations: number; messages: number },
  [number]
>(`SELECT count(*) AS conversations, coalesce(sum(unread), 0) AS messages
       FROM conversation_members INDEXED BY conversation_members_unread 
       WHERE agent = ? AND unread > 0 AND status = 'approved'`)

const INSERT = command<[string, number, number, number], { n: number }>(
  'INSERT INTO conversations (id, low, high, created_at) VALUES (?, ?, ?, ?) RETURNING n',
)

const SET_MEMBER = command<
  [number, number, number, number, ConversationStatus, number]
>(`INSERT INTO conversation_members (agent, conversation, other, initiated, status, last_message_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET initiated = excluded.initiated, status = excluded.status`)

const SET_BLOCKS = command<[number, number, number]>(
  'UPDATE conversation_members SET blocks = ? WHERE agent = ? AND conversation = ?',
)

const ADD_UNREAD = command<[number, number, number, number]>(
  'UPDATE conversation_members SET unread = unread + ?, last_message_at = ? WHERE agent = ? AND conversation = ?',
)

const CLEAR_UNREAD = command<[number, number]>(
  'UPDATE conversation_members SET unread = 0 WHERE agent = ? AND conversation = ?',
)

const FIRST_OF = query<{ conversation: number; other: number }, [number]>(
  'SELECT conversation, other FROM conversation_members WHERE agent = ? LIMIT 1',
)

const DELETE_MEMBERS = command<[number, number, number]>(
  'DELETE FROM conversation_members WHERE conversation = ? AND agent IN (?, ?)',
)

const DELETE = command<[number]>('DELETE FROM conversations WHERE n = ?')

/** The rows of conversations, one for each of their two agents. */
export class ConversationRows {
  constructor(private readonly store: Store) {}

  find(agent: number, id: string): MemberRow | undefined {
    return this.store.get(BY_ID, agent, id) ?? undefined
  }

  findOfPair(agent: number, other: number): MemberRow | undefined {
    return this.store.get(OF_PAIR, agent, Math.min(agent, other), Math.max(agent, other)) ?? undefined
  }

  /** The conversations of an agent with a status, those with the newest message first. */
  page(agent: number, status: ConversationStatus, [at, n]: readonly [number, number], limit: number) {
    return this.store.iterate(PAGE, agent, status, at, n, limit)
  }

  countUnread(agent: number): { conversations: number; messages: number } {
    return this.store.get(COUNT_UNREAD, agent) ?? { conversations: 0, messages: 0 }
  }

  add(tx: Tx, agent: number, other: number, now: number): number {
    const [low, high] = [Math.min(agent, other), Math.max(agent, other)]
    return tx.get(INSERT, newId(now), low, high, now)?.n ?? 0
  }

  /** Sets the status of a conversation for both, and who asked for it last. */
  setStatus(
    tx: Tx,
    conversation: number,
    { initiator, other, status, now }: { initiator: number; other: number; status: ConversationStatus; now: number },
  ): void {
    tx.run(SET_MEMBER, initiator, conversation, other, 1, status, now)
    tx.run(SET_MEMBER, other, conversation, initiator, 0, status, now)
  }

  setBlocks(tx: Tx, agent: number, conversation: number, blocks: boolean): void {
    tx.run(SET_BLOCKS, Number(blocks), agent, conversation)
  }

  /** Notes a new message for both agents. */
  addMessage(tx: Tx, conversation: number, sender: number, recipient: number, now: number): void {
    tx.run(ADD_UNREAD, 0, now, sender, conversation)
    tx.run(ADD_UNREAD, 1, now, recipient, conversation)
  }

  clearUnread(tx: Tx, agent: number, conversation: number): void {
    tx.run(CLEAR_UNREAD, agent, conversation)
  }

  /** Some conversation of an agent. */
  firstOf(agent: number): { conversation: number; other: number } | undefined {
    return this.store.get(FIRST_OF, agent) ?? undefined
  }

  delete(tx: Tx, conversation: number, agent: number, other: number): void {
    tx.run(DELETE_MEMBERS, conversation, agent, other)
    tx.run(DELETE, conversation)
  }
}
