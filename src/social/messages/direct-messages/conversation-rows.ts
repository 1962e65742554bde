import { type Statement, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
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

/** The rows of conversations, one for each of their two agents. */
export class ConversationRows {
  readonly #byId: Statement<MemberRow, [number, string]>
  readonly #ofPair: Statement<MemberRow, [number, number, number]>
  readonly #page: Statement<MemberRow, [number, ConversationStatus, number, number, number]>
  readonly #countUnread: Statement<{ conversations: number; messages: number }, [number]>
  readonly #insert: Statement<{ n: number }, [string, number, number, number]>
  readonly #setMember: Statement<unknown, [number, number, number, number, ConversationStatus, number]>
  readonly #setBlocks: Statement<unknown, [number, number, number]>
  readonly #addUnread: Statement<unknown, [number, number, number, number]>
  readonly #clearUnread: Statement<unknown, [number, number]>
  readonly #firstOf: Statement<{ conversation: number; other: number }, [number]>
  readonly #deleteMembers: Statement<unknown, [number, number, number]>
  readonly #delete: Statement<unknown, [number]>

  constructor(store: Store) {
    this.#byId = store.prepare(stablePlan(CONVERSATION_SQL.byId))
    this.#ofPair = store.prepare(stablePlan(CONVERSATION_SQL.ofPair))
    this.#page = store.prepare(stablePlan(CONVERSATION_SQL.page))
    this.#countUnread = store.prepare(
      `SELECT count(*) AS conversations, coalesce(sum(unread), 0) AS messages
       FROM conversation_members INDEXED BY conversation_members_unread 
       WHERE agent = ? AND unread > 0 AND status = 'approved'`,
    )
    this.#insert = store.prepare(
      'INSERT INTO conversations (id, low, high, created_at) VALUES (?, ?, ?, ?) RETURNING n',
    )
    this.#setMember = store.prepare(
      `INSERT INTO conversation_members (agent, conversation, other, initiated, status, last_message_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET initiated = excluded.initiated, status = excluded.status`,
    )
    this.#setBlocks = store.prepare('UPDATE conversation_members SET blocks = ? WHERE agent = ? AND conversation = ?')
    this.#addUnread = store.prepare(
      'UPDATE conversation_members SET unread = unread + ?, last_message_at = ? WHERE agent = ? AND conversation = ?',
    )
    this.#clearUnread = store.prepare('UPDATE conversation_members SET unread = 0 WHERE agent = ? AND conversation = ?')
    this.#firstOf = store.prepare('SELECT conversation, other FROM conversation_members WHERE agent = ? LIMIT 1')
    this.#deleteMembers = store.prepare('DELETE FROM conversation_members WHERE conversation = ? AND agent IN (?, ?)')
    this.#delete = store.prepare('DELETE FROM conversations WHERE n = ?')
  }

  find(agent: number, id: string): MemberRow | undefined {
    return this.#byId.get(agent, id) ?? undefined
  }

  findOfPair(agent: number, other: number): MemberRow | undefined {
    return this.#ofPair.get(agent, Math.min(agent, other), Math.max(agent, other)) ?? undefined
  }

  /** The conversations of an agent with a status, those with the newest message first. */
  page(agent: number, status: ConversationStatus, [at, n]: readonly [number, number], limit: number) {
    return this.#page.iterate(agent, status, at, n, limit)
  }

  countUnread(agent: number): { conversations: number; messages: number } {
    return this.#countUnread.get(agent) ?? { conversations: 0, messages: 0 }
  }

  add(tx: Tx, agent: number, other: number, now: number): number {
    const [low, high] = [Math.min(agent, other), Math.max(agent, other)]
    return tx.get(this.#insert, newId(now), low, high, now)?.n ?? 0
  }

  /** Sets the status of a conversation for both, and who asked for it last. */
  setStatus(
    tx: Tx,
    conversation: number,
    { initiator, other, status, now }: { initiator: number; other: number; status: ConversationStatus; now: number },
  ): void {
    tx.run(this.#setMember, initiator, conversation, other, 1, status, now)
    tx.run(this.#setMember, other, conversation, initiator, 0, status, now)
  }

  setBlocks(tx: Tx, agent: number, conversation: number, blocks: boolean): void {
    tx.run(this.#setBlocks, Number(blocks), agent, conversation)
  }

  /** Notes a new message for both agents. */
  addMessage(tx: Tx, conversation: number, sender: number, recipient: number, now: number): void {
    tx.run(this.#addUnread, 0, now, sender, conversation)
    tx.run(this.#addUnread, 1, now, recipient, conversation)
  }

  clearUnread(tx: Tx, agent: number, conversation: number): void {
    tx.run(this.#clearUnread, agent, conversation)
  }

  /** Some conversation of an agent. */
  firstOf(agent: number): { conversation: number; other: number } | undefined {
    return this.#firstOf.get(agent) ?? undefined
  }

  delete(tx: Tx, conversation: number, agent: number, other: number): void {
    tx.run(this.#deleteMembers, conversation, agent, other)
    tx.run(this.#delete, conversation)
  }
}
