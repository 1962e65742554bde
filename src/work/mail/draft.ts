import { sql } from 'drizzle-orm'
import type { Tx } from '../../core/store.ts'
import type { Address } from './directory.ts'
import type { Sender } from './sender.ts'
import { messages } from './table.ts'

/** A message to send. */
export interface MessageDraft {
  from: Sender
  to: Address
  subject: string
  body: string
  thread: string
  replyTo?: string
}

/** Writes the row of a message beside its bead. */
export function insertMessage(tx: Tx, id: string, { from, to, thread, replyTo }: MessageDraft): void {
  const row = {
    id,
    thread,
    replyTo: replyTo ?? null,
    fromSession: from.session ?? null,
    fromClaimed: from.claimed ?? null,
    toSession: to.session ?? null,
    toDisplay: to.display,
    recipient: to.route,
    open: true,
    createdAt: sql`(SELECT created_at FROM beads WHERE id = ${id})`,
  }
  tx.orm.insert(messages).values(row).run()
}
