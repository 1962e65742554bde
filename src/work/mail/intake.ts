import { sql } from 'drizzle-orm'
import type { Intake } from '../beads/draft.ts'
import { MAIL_PREFIX, MailKey } from '../metadata.ts'
import { messages } from './table.ts'
import { createThreadId } from './thread-id.ts'

/** Makes an imported bead of type message a message again, out of its labels and what its bead showed as metadata. */
export const mailIntake: Intake = {
  owns: (key) => key.startsWith(MAIL_PREFIX),
  put(tx, { id, labels, assignee, created_at: createdAt }, metadata) {
    const all: string[] = JSON.parse(labels)
    const after = (prefix: string) => all.find((label) => label.startsWith(prefix))?.slice(prefix.length)
    const read = metadata[MailKey.read] === undefined ? all.includes('read') : metadata[MailKey.read] === 'true'
    const row = {
      thread: after('thread:') ?? createThreadId(),
      replyTo: after('reply-to:') ?? null,
      fromSession: metadata[MailKey.fromSessionId] ?? null,
      fromClaimed: metadata[MailKey.fromClaimed] ?? null,
      toSession: metadata[MailKey.toSessionId] ?? null,
      toDisplay: metadata[MailKey.toDisplay] ?? assignee,
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
