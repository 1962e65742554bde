import { sql } from 'drizzle-orm'
import { threadId } from '../../core/ids.ts'
import type { Intake } from '../beads/draft.ts'
import { messages } from './table.ts'

/** Makes an imported bead of type message a message again, out of its labels and what its bead showed as metadata. */
export const mailIntake: Intake = {
  owns: (key) => key.startsWith('mail.'),
  put(tx, { id, labels, assignee, created_at: createdAt }, metadata) {
    const all: string[] = JSON.parse(labels)
    const after = (prefix: string) => all.find((label) => label.startsWith(prefix))?.slice(prefix.length)
    const read = metadata['mail.read'] === undefined ? all.includes('read') : metadata['mail.read'] === 'true'
    const row = {
      thread: after('thread:') ?? threadId(),
      replyTo: after('reply-to:') ?? null,
      fromSession: metadata['mail.from_session_id'] ?? null,
      fromClaimed: metadata['mail.from_claimed'] ?? null,
      toSession: metadata['mail.to_session_id'] ?? null,
      toDisplay: metadata['mail.to_display'] ?? assignee,
      read,
      createdAt,
    }
    const open = sql<boolean>`(SELECT closed = 0 FROM beads WHERE id = ${id})`
    tx.orm
      .insert(messages)
      .values({ ...row, id, recipient: assignee, open })
      .onConflictDoNothing()
      .run()
    tx.orm.update(messages).set({ read }).where(sql`${messages.id} = ${id}`).run()
  },
}
