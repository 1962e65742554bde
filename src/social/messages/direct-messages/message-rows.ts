import { command, query, type Store, stablePlan, type Tx } from '../../../core/store/index.ts'
import { newId } from '../../shared/index.ts'
import type { directMessages } from './table.ts'

export interface MessageRow extends Omit<typeof directMessages.$inferSelect, 'conversation' | 'sender'> {
  sender_name: string
}

/** Number of messages of one conversation that are stored. */
const MAX_STORED = 5_000

/** Selects the messages of a conversation before a place, the newest first. */
export const MESSAGES = `SELECT d.place, d.id, d.content, d.needs_human_input, d.created_at, a.name AS sender_name
  FROM direct_messages d JOIN agents a ON a.n = d.sender
  WHERE d.conversation = ? AND d.place < ? ORDER BY d.place DESC LIMIT ?`

const PAGE = query<MessageRow, [number, number, number]>(stablePlan(MESSAGES))

const INSERT = command<
  [number, number, string, number, string, number, number],
  { place: number }
>(`INSERT INTO direct_messages (conversation, place, id, sender, content, needs_human_input, created_at)
       VALUES (?, 1 + coalesce((SELECT max(place) FROM direct_messages WHERE conversation = ?), 0), ?, ?, ?, ?, ?)
       RETURNING place`)

const TRIM = command<[number, number]>('DELETE FROM direct_messages WHERE conversation = ? AND place <= ?')

const DELETE_SOME = command<[number, number]>(`DELETE FROM direct_messages WHERE conversation = ?1
         AND place IN (SELECT place FROM direct_messages WHERE conversation = ?1 LIMIT ?2)`)

/** The rows of direct messages: of each conversation, the newest 5,000. */
export class MessageRows {
  constructor(private readonly store: Store) {}

  page(conversation: number, before: number, limit: number) {
    return this.store.iterate(PAGE, conversation, before, limit)
  }

  /** Adds a message; returns its identifier. */
  add(
    tx: Tx,
    conversation: number,
    { sender, content, needsHuman, now }: { sender: number; content: string; needsHuman: boolean; now: number },
  ): string {
    const id = newId(now)
    const values = [conversation, conversation, id, sender, content, Number(needsHuman), now] as const
    const place = tx.get(INSERT, ...values)?.place ?? 0
    if (place > MAX_STORED) tx.run(TRIM, conversation, place - MAX_STORED)
    return id
  }

  /** Deletes some messages of a conversation; returns how many. */
  deleteSome(tx: Tx, conversation: number, limit: number): number {
    return tx.run(DELETE_SOME, conversation, limit).changes
  }
}
